// Names the causes of a difference, given the measured rows and judged outputs.
#ifndef ONNXCMP_COMPARE_STAGES_NAME_CAUSES_H_
#define ONNXCMP_COMPARE_STAGES_NAME_CAUSES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/causes/causes.h"
#include "compare/causes/repair/repair_limits.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/measure_rows.h"
#include "compare/stages/step_tools.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/base/per_side.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

struct NameCausesOptions {
  // If outputs agree within rounding, limit the search to a quarter of the run's cost.
  bool quick = true;
  bool asked = false;  // the caller acts on causes: notes tell in any case if none were searched
  RepairLimits limits;
  bool repro = false;          // make each cause's regions models of their own
  ToleranceOptions tolerance;  // of outputs, by full names of results
};

// Does not yet examine scales and zero points. `outputs` are those that were judged.
absl::StatusOr<CauseReport> NameCauses(const PerSide<RecordedSide>& sides,
                                       const PerSide<std::vector<NamedOutput>>& outputs,
                                       const MeasuredRows& measured, const OutputComparison& judged,
                                       const PairTolerances& tolerances,
                                       const NameCausesOptions& options, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_NAME_CAUSES_H_

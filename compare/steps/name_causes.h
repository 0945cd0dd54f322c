// Names the causes of a difference, with all that the search needs to know of the rows and outputs.
#ifndef ONNXCMP_COMPARE_STEPS_NAME_CAUSES_H_
#define ONNXCMP_COMPARE_STEPS_NAME_CAUSES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/causes/causes.h"
#include "compare/pair/per_side.h"
#include "compare/repair/repair_limits.h"
#include "compare/sides/pair_values.h"
#include "compare/steps/measure_rows.h"
#include "compare/steps/step_tools.h"
#include "compare/tolerances/pair_tolerance.h"
#include "compare/verdict/output_comparison.h"

namespace onnxcmp {

struct NameCausesOptions {
  // Where outputs agree within rounding, what is looked into is bounded by a quarter of the run.
  bool quick = true;
  bool asked = false;  // somebody acts on causes: not having looked for any is told in any case
  RepairLimits limits;
  bool repro = false;  // each cause's regions are made models of their own
};

// Scales and zero points are not looked at yet. `outputs`: of the right.
absl::StatusOr<CauseReport> NameCauses(const PerSide<RecordedSide>& sides,
                                       const std::vector<NamedOutput>& outputs,
                                       const MeasuredRows& measured, const OutputComparison& judged,
                                       const PairTolerances& tolerances,
                                       const NameCausesOptions& options, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STEPS_NAME_CAUSES_H_

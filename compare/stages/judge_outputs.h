// Judges the outputs of both sides, and all recorded results.
#ifndef ONNXCMP_COMPARE_STAGES_JUDGE_OUTPUTS_H_
#define ONNXCMP_COMPARE_STAGES_JUDGE_OUTPUTS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/measure_rows.h"
#include "compare/stages/record_sides.h"
#include "compare/stages/step_tools.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/base/per_side.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

// Outputs with their names and the types that a model declares.
PerSide<std::vector<NamedOutput>> NamedOutputsOf(const PerSide<RecordedSide>& sides,
                                                 const PerSide<SideRecord>& records);

struct JudgeOptions {
  ToleranceOptions tolerance;  // by full names of results
  bool partial = false;
  bool any_row_order = false;
  bool ties_agree = false;
  std::optional<double> min_sqnr;  // decibels; nothing: what the types leave
};

// A recording that does not mark its outputs has none. Sides may run again to find ties.
absl::StatusOr<OutputComparison> JudgeOutputs(const PerSide<RecordedSide>& sides,
                                              const PerSide<std::vector<NamedOutput>>& outputs,
                                              const MeasuredRows& measured,
                                              const PairTolerances& tolerances,
                                              const JudgeOptions& options, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_JUDGE_OUTPUTS_H_

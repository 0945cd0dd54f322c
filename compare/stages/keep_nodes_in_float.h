// Finds by trial the nodes that have to stay in float if a conversion to a coarser type makes the
// outputs differ.
#ifndef ONNXCMP_COMPARE_STAGES_KEEP_NODES_IN_FLOAT_H_
#define ONNXCMP_COMPARE_STAGES_KEEP_NODES_IN_FLOAT_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/in_float/keep_in_float.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/judge_outputs.h"
#include "compare/stages/look_at_quantization.h"
#include "compare/stages/measure_rows.h"
#include "compare/stages/step_tools.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Nothing if outputs agree by value, if neither side is a conversion of the other, or if a mistake
// was found: then that is the answer.
absl::StatusOr<std::optional<KeepInFloat>> KeepNodesInFloat(
    const PerSide<RecordedSide>& sides, const PerSide<std::vector<NamedOutput>>& outputs,
    const MeasuredRows& measured, const OutputComparison& judged, const ReviewedCauses& reviewed,
    const PairTolerances& tolerances, const JudgeOptions& options, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_KEEP_NODES_IN_FLOAT_H_

// Judges the pairs of two sides by the runs in double.
#ifndef ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_REPORT_H_
#define ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_REPORT_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "compare/in_double/shadow.h"
#include "compare/outputs/compared_row.h"
#include "compare/outputs/output_comparison.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Outputs in double by the number of their results.
using NumberedValues = std::vector<std::pair<int, Value>>;

// `outputs`: as they are compared; `left_outputs` and `right_outputs` are those of the runs in
// double.
ShadowReport MakeShadowReport(const ComparedSides& sides, SideShadow left, SideShadow right,
                              absl::Span<const OutputPair> outputs,
                              const NumberedValues& left_outputs,
                              const NumberedValues& right_outputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_REPORT_H_

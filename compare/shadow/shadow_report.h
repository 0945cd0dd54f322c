// What the runs in double say about the pairs of two sides.
#ifndef ONNXCMP_COMPARE_SHADOW_SHADOW_REPORT_H_
#define ONNXCMP_COMPARE_SHADOW_SHADOW_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "compare/comparison/comparison.h"
#include "compare/shadow/shadow.h"
#include "evaluator/value.h"

namespace onnxcmp {

// Outputs in double by the number of their results.
using NumberedValues = std::vector<std::pair<int, Value>>;

// Of a comparison whose rows and outputs are there.
ShadowReport MakeShadowReport(const Comparison& comparison, SideShadow left, SideShadow right,
                              const NumberedValues& left_outputs,
                              const NumberedValues& right_outputs);

// What a reader should know of it: the verdict, how far the sides are apart in double, and where it
// would mislead. A sentence each.
std::vector<std::string> ShadowText(const ShadowReport& report);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SHADOW_SHADOW_REPORT_H_

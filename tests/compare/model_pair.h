// Two models written down in a test, compared the whole way.
#ifndef ONNXCMP_TESTS_COMPARE_MODEL_PAIR_H_
#define ONNXCMP_TESTS_COMPARE_MODEL_PAIR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/compare.h"
#include "evaluator/evaluator.h"

namespace onnxcmp::testing {

// "(float[2] x) => (float[2] y) { ... }" at opset 18, with com.microsoft.
absl::StatusOr<Comparison> CompareGraphs(absl::string_view left, absl::string_view right,
                                         const Feeds& left_feeds, const Feeds& right_feeds,
                                         const CompareOptions& options = {});
absl::StatusOr<Comparison> CompareGraphs(absl::string_view left, absl::string_view right,
                                         const Feeds& feeds, const CompareOptions& options = {});

// "same Add sum | add": relation, operators as far as they differ, names; the marks behind it. Rows
// that only one side has: "left_only Add sum".
std::vector<std::string> RowTexts(const Comparison& comparison);

// Rows of results alone, no initializers, inputs and outputs.
std::vector<std::string> ResultTexts(const Comparison& comparison);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_COMPARE_MODEL_PAIR_H_

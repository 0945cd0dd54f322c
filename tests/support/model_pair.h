// Two models written down in a test, compared the whole way.
#ifndef ONNXCMP_TESTS_SUPPORT_MODEL_PAIR_H_
#define ONNXCMP_TESTS_SUPPORT_MODEL_PAIR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp::testing {

// "(float[2] x) => (float[2] y) { ... }" at opset 18, with com.microsoft.
absl::StatusOr<Comparison> CompareGraphs(absl::string_view left, absl::string_view right,
                                         const Feeds& left_feeds, const Feeds& right_feeds,
                                         const CompareOptions& options = {});
absl::StatusOr<Comparison> CompareGraphs(absl::string_view left, absl::string_view right,
                                         const Feeds& feeds, const CompareOptions& options = {});

// A side of a whole model's text, "g (float[2] x) => (float[2] y) <...> { ... }", that is fed `x`
// as its first input; null, and a failure of the test, if it cannot be loaded.
std::unique_ptr<ModelSide> SideFedWith(const Tensor& x, const std::string& text,
                                       const LoadOptions& load = {});

// Two whole models' texts, each fed its x as its first input, on one thread; empty, and a failure
// of the test, if that cannot be.
Comparison CompareFedWith(const Tensor& left_x, const std::string& left, const Tensor& right_x,
                          const std::string& right, CompareOptions options = {});

// A text with another for a part of it, which must be there.
std::string Replaced(absl::string_view text, absl::string_view from, absl::string_view to);

// What the right calls the results of causes that are wrong.
std::vector<std::string> NamesOfWrong(const Comparison& comparison);

// Two rows of four numbers of both signs, which most pairs get as their input x.
Tensor GivenX();
Feeds GivenFeeds();

// "same Add sum | add": relation, operators as far as they differ, names; the marks after it. Rows
// that only one side has: "left_only Add sum".
std::vector<std::string> RowTexts(const Comparison& comparison);

// Rows of results alone, no initializers, inputs and outputs.
std::vector<std::string> ResultTexts(const Comparison& comparison);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_MODEL_PAIR_H_

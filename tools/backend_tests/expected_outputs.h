// Decides how a test's expected outputs can be compared, as far as the graph tells.
#ifndef ONNXCMP_TOOLS_BACKEND_TESTS_EXPECTED_OUTPUTS_H_
#define ONNXCMP_TOOLS_BACKEND_TESTS_EXPECTED_OUTPUTS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {

enum class Expectation {
  kElements,
  // The output depends on random numbers. No seed makes another tool draw the same ones, so only
  // types and shapes can be compared.
  kTypeAndShape,
  // A Fourier transform: its error is relative to the whole vector, not to each element. Where the
  // exact value is 0, the expected one is the noise of the transform that computed it.
  kTransform,
};

// True if an operator of ai.onnx draws random numbers. Dropout does not count: it passes its input
// on except in training, where ONNX's tests specify the numbers.
bool DrawsNumbers(absl::string_view domain, absl::string_view op_type);

// For each of the graph's outputs.
std::vector<Expectation> ExpectationsOf(const Graph& graph);

// The tolerance for an output: transforms may be off by a rounding of the greatest expected
// element; unchanged for others.
Tolerance ToleranceFor(Expectation expectation, const Value& want, Tolerance tolerance);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_BACKEND_TESTS_EXPECTED_OUTPUTS_H_

// Results inside of an operator, on the way to its own: a framework, or a model before it was
// optimized, has them as results of nodes.
#ifndef ONNXCMP_COMPARE_INSIDE_INNER_RESULTS_H_
#define ONNXCMP_COMPARE_INSIDE_INNER_RESULTS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// True if steps of the node's operator are known: normalizations, products with a bias or a factor,
// Softmax, activations with a bias, attention.
bool HasInnerResults(const Node& node);

// The steps of a node on these inputs, in its order ("": absent ones are empty), as the usual
// graphs of its operator have them. None if the inputs do not allow them.
std::vector<Value> InnerResultsOf(const Node& node, absl::Span<const Value> inputs,
                                  const Evaluator& evaluator);

// "inside of a LayerNormalization".
std::string InsideOf(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_INNER_RESULTS_H_

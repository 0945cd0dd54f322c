// Constant tensors of a graph: initializers and Constant nodes.
#ifndef ONNXCMP_RECORD_GRAPHS_CONSTANTS_H_
#define ONNXCMP_RECORD_GRAPHS_CONSTANTS_H_

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The tensor of a Constant node; null for other nodes, and if it is given in another form.
const Tensor* ConstantOf(const Node& node);

// An initializer or constant of the main graph by name; null if there is no such tensor.
const Tensor* FindConstant(const Graph& graph, absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_CONSTANTS_H_

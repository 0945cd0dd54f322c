#include "record/graphs/constants.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {

const Tensor* ConstantOf(const Node& node) {
  if (node.op_type != "Constant" || node.domain != kOnnxDomain || node.outputs.size() != 1) {
    return nullptr;
  }
  return AttributeOf<Tensor>(node, "value");
}

const Tensor* FindConstant(const Graph& graph, absl::string_view name) {
  for (const Initializer& initializer : graph.initializers) {
    if (initializer.name == name) {
      return initializer.value.is_tensor() ? &initializer.value.tensor() : nullptr;
    }
  }
  for (const Node& node : graph.nodes) {
    const Tensor* value = ConstantOf(node);
    if (value != nullptr && node.outputs[0] == name) return value;
  }
  return nullptr;
}

}  // namespace onnxcmp

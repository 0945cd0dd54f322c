#include "record/graphs/graph_scope.h"

#include <string>
#include <variant>

#include "evaluator/model/outer_names.h"
#include "evaluator/tensor/convert.h"
#include "record/graphs/constants.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {

std::unique_ptr<GraphScope> MakeScope(const Graph& graph, const GraphScope* outer) {
  auto scope = std::make_unique<GraphScope>();
  scope->graph = &graph;
  scope->outer = outer;
  for (const ValueInfo& input : graph.inputs) scope->defined.insert(input.name);
  for (const Initializer& initializer : graph.initializers) {
    scope->defined.insert(initializer.name);
    if (initializer.value.is_tensor()) {
      scope->constants[initializer.name] = &initializer.value.tensor();
    }
  }
  const size_t made = graph.nodes.size();
  scope->defined.reserve(graph.inputs.size() + graph.initializers.size() + made);
  scope->producers.reserve(made);
  scope->readers.reserve(made);
  for (const Node& node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      scope->readers[node.inputs[i]].push_back({&node, i});
    }
    for (const std::string& output : node.outputs) {
      scope->defined.insert(output);
      scope->producers[output] = &node;
    }
    if (const Tensor* value = ConstantOf(node)) scope->constants[node.outputs[0]] = value;
  }
  for (const Node& node : graph.nodes) {
    for (const Graph* body : GraphsOf(node)) scope->inner[body] = MakeScope(*body, scope.get());
    // A function has no outer scope.
    if (node.body != nullptr) scope->inner[node.body.get()] = MakeScope(*node.body, nullptr);
  }
  return scope;
}

const Tensor* ConstantIn(const GraphScope& scope, absl::string_view name) {
  for (const GraphScope* s = &scope; s != nullptr; s = s->outer) {
    if (const auto it = s->constants.find(name); it != s->constants.end()) return it->second;
    if (s->defined.contains(name)) return nullptr;
  }
  return nullptr;
}

const Node* ProducerIn(const GraphScope& scope, absl::string_view name) {
  for (const GraphScope* s = &scope; s != nullptr; s = s->outer) {
    if (const auto it = s->producers.find(name); it != s->producers.end()) return it->second;
    if (s->defined.contains(name)) return nullptr;
  }
  return nullptr;
}

std::optional<double> NumberOf(const Tensor* tensor) {
  if (tensor == nullptr || tensor->num_elements() < 1 || tensor->num_elements() > 16 ||
      tensor->dtype() == DType::kString) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> whole = tensor->Contiguous();
  if (!whole.ok()) return std::nullopt;
  std::vector<double> elements(static_cast<size_t>(whole->num_elements()));
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, whole->num_elements(),
                       elements.data());
  for (const double element : elements) {
    if (element != elements[0]) return std::nullopt;
  }
  return elements[0];
}

bool IsScaledProduct(const GraphScope& scope, absl::string_view name) {
  constexpr int kMostSteps = 6;
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const Node* node = ProducerIn(scope, name);
    if (node == nullptr || node->inputs.empty()) return false;
    if (IsOneOf(*node, {"MatMul", "Einsum"}) || node->op_type == "FusedMatMul") return true;
    if (!IsOneOf(*node, {"Mul", "Div", "Add", "Cast", "Reshape", "Transpose"})) return false;
    name = node->inputs[0];
  }
  return false;
}

}  // namespace onnxcmp

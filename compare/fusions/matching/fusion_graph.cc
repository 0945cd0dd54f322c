#include "compare/fusions/matching/fusion_graph.h"

#include <cmath>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/constants.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Names that subgraphs read from outer graphs; may include some of their own, which does no harm.
void CollectOuterNames(const Graph& graph, absl::flat_hash_set<std::string>* names);

template <typename Visit>
void ForEachBody(const Node& node, Visit visit) {
  for (const auto& [name, attribute] : node.attributes) {
    if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) visit(**body);
    if (const auto* bodies = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
      for (const auto& body : *bodies) visit(*body);
    }
  }
}

void CollectOuterNames(const Graph& graph, absl::flat_hash_set<std::string>* names) {
  for (const Node& node : graph.nodes) {
    names->insert(node.inputs.begin(), node.inputs.end());
    ForEachBody(node, [names](const Graph& body) { CollectOuterNames(body, names); });
  }
  for (const ValueInfo& output : graph.outputs) names->insert(output.name);
}

}  // namespace

FusionGraph::FusionGraph(const Graph& graph, const FusionGraph* outer) : graph_(graph) {
  for (const Initializer& initializer : graph.initializers) {
    Value& value = values_[static_cast<size_t>(ValueOf(initializer.name))];
    value.constant = value.is_static = true;
    if (initializer.value.is_tensor()) value.tensor = &initializer.value.tensor();
  }
  for (const ValueInfo& input : graph.inputs) ValueOf(input.name);
  for (size_t n = 0; n < graph.nodes.size(); ++n) AddNode(static_cast<int>(n), outer);
  for (const ValueInfo& output : graph.outputs) {
    values_[static_cast<size_t>(ValueOf(output.name))].output = true;
  }
}

int FusionGraph::ValueOf(absl::string_view name) {
  const auto [it, added] = by_name_.emplace(std::string(name), static_cast<int>(values_.size()));
  if (added) values_.emplace_back().name = it->first;
  return it->second;
}

void FusionGraph::AddNode(int n, const FusionGraph* outer) {
  const Node& node = graph_.nodes[static_cast<size_t>(n)];
  std::vector<int> inputs;
  bool constant = true;
  bool is_static = true;
  const auto read = [&](const std::string& name) {
    const bool known = by_name_.contains(name);
    const int v = ValueOf(name);
    Value& value = values_[static_cast<size_t>(v)];
    if (!known && outer != nullptr) {
      if (const auto it = outer->by_name_.find(name); it != outer->by_name_.end()) {
        const Value& from = outer->values_[static_cast<size_t>(it->second)];
        value.tensor = from.tensor;
        value.constant = from.tensor != nullptr;
        value.is_static = value.constant || from.is_static;
      }
    }
    if (value.readers.empty() || value.readers.back() != n) value.readers.push_back(n);
    constant = constant && value.constant;
    is_static = is_static && value.is_static;
    return v;
  };
  for (const std::string& name : node.inputs) inputs.push_back(name.empty() ? kNone : read(name));
  absl::flat_hash_set<std::string> names;
  ForEachBody(node, [&names](const Graph& body) { CollectOuterNames(body, &names); });
  for (const std::string& name : names) {
    if (by_name_.contains(name)) read(name);
  }
  // Shapes are static; random numbers have no inputs either, but are no constants.
  if (HasTrait(node, OperatorTrait::kReadsNoElements)) is_static = true;
  const bool draws = absl::string_view(node.op_type).substr(0, 6) == "Random";
  std::vector<int> outputs;
  for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
    if (node.outputs[slot].empty()) {
      outputs.push_back(kNone);
      continue;
    }
    const int v = ValueOf(node.outputs[slot]);
    Value& value = values_[static_cast<size_t>(v)];
    value.producer = n;
    value.slot = static_cast<int>(slot);
    value.constant = constant && !draws;
    value.is_static = is_static && !draws;
    value.tensor = ConstantOf(node);
    outputs.push_back(v);
  }
  inputs_.push_back(std::move(inputs));
  outputs_.push_back(std::move(outputs));
}

bool FusionGraph::IsStaticNode(int n) const {
  return absl::c_all_of(outputs(n), [this](int v) { return v == kNone || IsStatic(v); });
}

bool FusionGraph::IsConstantNode(int n) const {
  return absl::c_all_of(outputs(n), [this](int v) { return v == kNone || IsConstant(v); });
}

std::optional<double> FusionGraph::Scalar(int value) const { return ScalarAt(value, 0); }

std::optional<double> FusionGraph::ScalarAt(int value, int depth) const {
  const Value& v = values_[static_cast<size_t>(value)];
  if (!v.constant || depth > work_bounds::kNesting) return std::nullopt;
  if (v.tensor != nullptr) {
    if (v.tensor->num_elements() != 1 || v.tensor->dtype() == DType::kString) return std::nullopt;
    return ElementsOf(*v.tensor)[0];
  }
  if (v.producer == kNone) return std::nullopt;
  const Node& made_by = node(v.producer);
  if (made_by.op_type == "Constant") {
    if (const auto* const number = AttributeOf<float>(made_by, "value_float")) return *number;
    if (const auto number = IntAttribute(made_by, "value_int"); number.has_value()) {
      return static_cast<double>(*number);
    }
    return std::nullopt;
  }
  return Folded(v.producer, depth);
}

// Folds operators that exporters and quantizers apply to scalars.
std::optional<double> FusionGraph::Folded(int n, int depth) const {
  const std::string& op = node(n).op_type;
  std::vector<double> x;
  for (const int input : inputs(n)) {
    if (input == kNone) continue;
    const std::optional<double> scalar = ScalarAt(input, depth + 1);
    // Shapes may have several elements.
    if (!scalar.has_value() && !x.empty() && HasTrait(node(n), OperatorTrait::kRearranges)) {
      break;
    }
    if (!scalar.has_value()) return std::nullopt;
    x.push_back(*scalar);
  }
  if (x.empty()) return std::nullopt;
  if (HasTrait(node(n), OperatorTrait::kRearranges) || HasTrait(node(n), OperatorTrait::kCasts)) {
    return x[0];
  }
  if (op == "Sqrt") return std::sqrt(x[0]);
  if (op == "Neg") return -x[0];
  if (op == "Reciprocal") return 1 / x[0];
  if (x.size() < 2) return std::nullopt;
  if (op == "Mul") return x[0] * x[1];
  if (op == "Div") return x[0] / x[1];
  if (op == "Add") return x[0] + x[1];
  if (op == "Sub") return x[0] - x[1];
  if (op == "Pow") return std::pow(x[0], x[1]);
  if (op == "DequantizeLinear") return (x[0] - (x.size() > 2 ? x[2] : 0)) * x[1];
  if (op == "QuantizeLinear") return std::nearbyint(x[0] / x[1]) + (x.size() > 2 ? x[2] : 0);
  return std::nullopt;
}

std::optional<std::vector<double>> FusionGraph::Elements(int value) const {
  constexpr int64_t kMost = 8;
  const Value& v = values_[static_cast<size_t>(value)];
  if (v.tensor != nullptr && v.tensor->num_elements() <= kMost &&
      v.tensor->dtype() != DType::kString) {
    return ElementsOf(*v.tensor);
  }
  if (const std::optional<double> scalar = Scalar(value)) return std::vector<double>{*scalar};
  return std::nullopt;
}

int64_t FusionGraph::OpsetVersion(int n) const {
  const auto& imports = node(n).imports;
  if (imports == nullptr) return 0;
  const auto it = imports->find(node(n).domain);
  return it == imports->end() ? 0 : it->second;
}

}  // namespace onnxcmp

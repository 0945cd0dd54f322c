#include "compare/causes/attribute_differences.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"
#include "record/graphs/tree_differences.h"
#include "record/operators/node_settings.h"
#include "record/operators/version_changes.h"

namespace onnxcmp {
namespace {

NodeDescription DescriptionOf(const SideGraph& graph, const Node& node) {
  return DescribeNode(&graph.evaluator()->registry(), node);
}

// The input that has an attribute's place in other versions.
absl::string_view InputFor(absl::string_view op_type, absl::string_view attribute) {
  struct Renamed {
    absl::string_view op_type, attribute, input;
  };
  static constexpr Renamed kRenamed[] = {{"Pad", "value", "constant_value"}, {"TopK", "k", "K"}};
  for (const Renamed& renamed : kRenamed) {
    if (renamed.op_type == op_type && renamed.attribute == attribute) return renamed.input;
  }
  return attribute;
}

// An attribute, or the constant input in its place.
struct Setting {
  NodeSetting given;
  std::string input;                    // the input's name; "" for an attribute
  std::optional<Attribute> value = {};  // of the input
  NodeSetting Get() const { return value.has_value() ? NodeSetting{&*value, false} : given; }
};

// One number is no list.
Attribute AsAttribute(const Tensor& tensor) {
  if (tensor.num_elements() != 1 || IsComplex(tensor.dtype())) return tensor;
  const double number = ElementsOf(tensor)[0];
  if (IsInteger(tensor.dtype())) return static_cast<int64_t>(number);
  return static_cast<float>(number);
}

Setting SettingOrInput(const NodeDescription& described, const SideGraph& graph,
                       const StreamNode& made, const std::string& name,
                       absl::FunctionRef<const Value&(int)> value_of) {
  Setting setting = {SettingOf(described, name), ""};
  if (setting.given.value != nullptr || described.signature == nullptr) return setting;
  const absl::string_view wanted = InputFor(made.op_type, name);
  const std::vector<ParameterType>& inputs = described.signature->inputs;
  for (size_t slot = 0; slot < std::min(inputs.size(), made.inputs.size()); ++slot) {
    const int r = made.inputs[slot];
    if (inputs[slot].name != wanted || r == kNone) continue;
    setting.input = graph.result(r).name;
    if (IsMeasurable(value_of(r))) setting.value = AsAttribute(value_of(r).tensor());
  }
  return setting;
}

// "attribute max", "attribute max | input high".
std::string LabelOf(const std::string& name, const Setting& left, const Setting& right) {
  const auto of = [&](const Setting& setting) {
    return setting.input.empty() ? absl::StrCat("attribute ", name)
                                 : absl::StrCat("input ", setting.input);
  };
  return of(left) == of(right) ? of(left) : absl::StrCat(of(left), " | ", of(right));
}

}  // namespace

std::vector<std::string> AttributeDifferences(const ForcedRun& run, const ForcedState& state,
                                              int left_node, int right_node) {
  const SideGraph& left_graph = run.left().graph();
  const SideGraph::GraphNode& left = left_graph.node(left_node);
  const SideGraph::GraphNode& right = run.right().node(right_node);
  const bool same_operator =
      left.made->op_type == right.made->op_type && left.made->domain == right.made->domain;
  const NodeDescription ours = DescriptionOf(left_graph, *left.node);
  const NodeDescription theirs = DescriptionOf(run.right(), *right.node);
  const std::optional<std::string> trees = TreeDifferenceText(*left.node, *right.node);
  std::vector<std::string> differences;
  if (trees.has_value() && !trees->empty()) differences.push_back(*trees);
  for (const std::string& name : SettingNames(ours, theirs, same_operator)) {
    if (trees.has_value() && ListsTrees(name)) continue;
    const Setting a = SettingOrInput(ours, left_graph, *left.made, name,
                                     [&](int r) -> const Value& { return run.left().value_of(r); });
    const Setting b =
        SettingOrInput(theirs, run.right(), *right.made, name, [&](int r) -> const Value& {
          return state.at(r).own.empty() ? state.at(r).held : state.at(r).own;
        });
    if (!same_operator && (!a.given.given() || !b.given.given())) continue;
    const std::string text = SettingDifferenceText(a.Get(), b.Get());
    if (!text.empty()) differences.push_back(absl::StrCat(LabelOf(name, a, b), ": ", text));
  }
  return differences;
}

std::vector<std::string> FusedActivationDifferences(const SideGraph& left_graph,
                                                    const SideGraph::GraphNode& left,
                                                    const SideGraph& right_graph,
                                                    const SideGraph::GraphNode& right) {
  // Attributes of activations in the order in which fused nodes have their numbers.
  struct Activation {
    absl::string_view op_type;
    std::vector<std::string> attributes;
  };
  const Activation activations[] = {{"LeakyRelu", {"alpha"}}, {"HardSigmoid", {"alpha", "beta"}}};
  if (left.node == nullptr || right.node == nullptr) return {};
  const auto fuses = [](const Node& fused, const Node& plain) {
    const auto* const activation = AttributeOf<std::string>(fused, "activation");
    return activation != nullptr && *activation == plain.op_type;
  };
  const bool left_is = fuses(*left.node, *right.node);
  if (!left_is && !fuses(*right.node, *left.node)) return {};
  const Node& fused = left_is ? *left.node : *right.node;
  const NodeDescription plain =
      left_is ? DescriptionOf(right_graph, *right.node) : DescriptionOf(left_graph, *left.node);
  const auto* const numbers = AttributeOf<std::vector<float>>(fused, "activation_params");
  std::vector<std::string> differences;
  for (const Activation& activation : activations) {
    if (activation.op_type != plain.node.op_type) continue;
    for (size_t i = 0; i < activation.attributes.size(); ++i) {
      const std::string& name = activation.attributes[i];
      std::string parameter = absl::StrCat("activation_", name);
      const float* number = AttributeOf<float>(fused, parameter);
      if (numbers != nullptr && i < numbers->size()) {
        number = &(*numbers)[i];
        parameter = absl::StrCat("activation_params[", i, "]");
      }
      if (number == nullptr) continue;
      const Attribute given = *number;
      const NodeSetting own = SettingOf(plain, name);
      const NodeSetting other = {&given, false};
      const std::string text =
          left_is ? SettingDifferenceText(other, own) : SettingDifferenceText(own, other);
      if (text.empty()) continue;
      differences.push_back(absl::StrCat("attribute ", left_is ? parameter : name, " | ",
                                         left_is ? name : parameter, ": ", text));
    }
  }
  return differences;
}

bool HasAttributeForInput(const SideGraph& graph, const SideGraph::GraphNode& node,
                          const SideGraph& other_graph, const SideGraph::GraphNode& other,
                          size_t slot) {
  if (node.node == nullptr || other.node == nullptr) return false;
  const NodeDescription described = DescriptionOf(graph, *node.node);
  const NodeDescription with_input = DescriptionOf(other_graph, *other.node);
  if (with_input.signature == nullptr || slot >= with_input.signature->inputs.size()) return false;
  return absl::c_any_of(SettingNames(described, described, true), [&](const std::string& name) {
    return InputFor(node.made->op_type, name) == with_input.signature->inputs[slot].name;
  });
}

std::vector<std::string> VersionDifferences(const SideGraph& left_graph,
                                            const SideGraph::GraphNode& left,
                                            const SideGraph& right_graph,
                                            const SideGraph::GraphNode& right) {
  const NodeDescription ours = DescriptionOf(left_graph, *left.node);
  const NodeDescription theirs = DescriptionOf(right_graph, *right.node);
  std::vector<std::string> texts =
      VersionChangeTexts({*left.node, ours.since}, {*right.node, theirs.since});
  for (std::string& text : texts) {
    text = absl::StrCat("opset ", ours.opset, " | ", theirs.opset, ": ", text);
  }
  return texts;
}

bool HaveOtherInputs(const SideGraph& left_graph, const SideGraph::GraphNode& left,
                     const SideGraph& right_graph, const SideGraph::GraphNode& right) {
  if (left.node == nullptr || right.node == nullptr) return false;
  const NodeDescription ours = DescriptionOf(left_graph, *left.node);
  const NodeDescription theirs = DescriptionOf(right_graph, *right.node);
  if (ours.signature == nullptr || theirs.signature == nullptr) return false;
  const auto same_name = [](const ParameterType& a, const ParameterType& b) {
    return a.name == b.name;
  };
  return !std::equal(ours.signature->inputs.begin(), ours.signature->inputs.end(),
                     theirs.signature->inputs.begin(), theirs.signature->inputs.end(), same_name);
}

bool AttributesExplain(const ForcedRun& run, const ForcedState& state, int right) {
  const ValueClasses& left = run.left();
  const int c = state.at(right).match;
  const int n = run.right().producer(right);
  const int m = left.computed(c) ? left.graph().producer(left.representative(c)) : kNone;
  if (n == kNone || m == kNone) return false;
  const SideGraph::GraphNode& ours = left.graph().node(m);
  const SideGraph::GraphNode& theirs = run.right().node(n);
  return ours.node != nullptr && theirs.node != nullptr &&
         ours.made->op_type == theirs.made->op_type && ours.made->domain == theirs.made->domain &&
         ours.made->attributes != theirs.made->attributes &&
         !AttributeDifferences(run, state, m, n).empty();
}

}  // namespace onnxcmp

#include "compare/causes/attribute_differences.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/signature.h"
#include "record/operators/node_settings.h"
#include "record/operators/version_changes.h"

namespace onnxcmp {
namespace {

NodeDescription DescriptionOf(const SideGraph& graph, const Node& node) {
  return DescribeNode(&graph.evaluator()->registry(), node);
}

}  // namespace

std::vector<std::string> AttributeDifferences(const SideGraph& left_graph,
                                              const SideGraph::GraphNode& left,
                                              const SideGraph& right_graph,
                                              const SideGraph::GraphNode& right) {
  const bool same_operator =
      left.made->op_type == right.made->op_type && left.made->domain == right.made->domain;
  const NodeDescription ours = DescriptionOf(left_graph, *left.node);
  const NodeDescription theirs = DescriptionOf(right_graph, *right.node);
  std::vector<std::string> differences;
  for (const std::string& name : SettingNames(ours, theirs, same_operator)) {
    const NodeSetting a = SettingOf(ours, name);
    const NodeSetting b = SettingOf(theirs, name);
    if (!same_operator && (!a.given() || !b.given())) continue;
    const std::string text = SettingDifferenceText(a, b);
    if (!text.empty()) differences.push_back(absl::StrCat("attribute ", name, ": ", text));
  }
  return differences;
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
         !AttributeDifferences(left.graph(), ours, run.right(), theirs).empty();
}

}  // namespace onnxcmp

#include "compare/causes/attribute_differences.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/operators/version_changes.h"
#include "compare/text/attribute_text.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/kernels/signature.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

// The ending of attributes of ai.onnx.ml that give a list in another element type.
constexpr absl::string_view kAsTensor = "_as_tensor";

// A node with what its schema says of it.
struct NodeDescription {
  const Node& node;
  std::shared_ptr<const Signature> signature;  // null without a schema
  int64_t opset;
  int64_t since;
};

NodeDescription DescriptionOf(const SideGraph& graph, const Node& node) {
  NodeDescription described{node, nullptr, 0, 0};
  if (node.imports != nullptr) {
    const auto import = node.imports->find(node.domain);
    if (import != node.imports->end()) described.opset = import->second;
  }
  const onnx::OpSchema* schema =
      graph.evaluator()->registry().FindSchema(node.domain, node.op_type, described.opset);
  if (schema != nullptr) {
    described.signature = MakeSignature(*schema);
    described.since = schema->SinceVersion();
  }
  return described;
}

// Value of an attribute that is given or has a default. A tensor in place of a list has the
// attribute's name with an ending.
struct Setting {
  const Attribute* value = nullptr;  // null: it is not given, and has no default
  bool is_default = false;

  std::string Text() const { return value == nullptr ? "not given" : AttributeText(*value); }
};

Setting SettingOf(const NodeDescription& described, const std::string& name) {
  const auto& given = described.node.attributes;
  for (const std::string& key : {name, absl::StrCat(name, kAsTensor)}) {
    if (const auto it = given.find(key); it != given.end()) return {&it->second, false};
  }
  if (described.signature == nullptr) return {};
  const auto& defaults = described.signature->defaults;
  const auto it = defaults.find(name);
  return it == defaults.end() ? Setting() : Setting{&it->second, true};
}

std::string BaseName(const std::string& name) {
  return std::string(absl::StripSuffix(name, kAsTensor));
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
  std::set<std::string> names;
  for (const std::string& name : AttributeNames(left.node, right.node))
    names.insert(BaseName(name));
  // A default that neither node sets may have changed between versions.
  if (same_operator && ours.since != theirs.since && ours.signature != nullptr &&
      theirs.signature != nullptr) {
    for (const auto& [name, value] : ours.signature->defaults) {
      if (theirs.signature->defaults.contains(name)) names.insert(name);
    }
  }
  std::vector<std::string> differences;
  for (const std::string& name : names) {
    const Setting a = SettingOf(ours, name);
    const Setting b = SettingOf(theirs, name);
    if (!same_operator &&
        (a.value == nullptr || b.value == nullptr || a.is_default || b.is_default)) {
      continue;
    }
    std::string text;
    if (a.value == nullptr || b.value == nullptr || a.is_default || b.is_default) {
      if (a.value == b.value) continue;
      if (a.value != nullptr && b.value != nullptr &&
          AttributeDifferenceText(*a.value, *b.value).empty()) {
        continue;
      }
      text = absl::StrCat(a.Text(), a.is_default ? " (default)" : "", " | ", b.Text(),
                          b.is_default ? " (default)" : "");
    } else {
      text = AttributeDifferenceText(*a.value, *b.value);
    }
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

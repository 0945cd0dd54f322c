#include "compare/causes/repro/renamed_node.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "evaluator/model/outer_names.h"

namespace onnxcmp {
namespace {

using NameMap = absl::flat_hash_map<std::string, std::string>;
using GraphPtr = std::shared_ptr<const Graph>;

void Rename(const NameMap& names, std::string* name) {
  if (const auto it = names.find(*name); it != names.end()) *name = it->second;
}

// Shares the graph if it reads none of the names.
GraphPtr BodyWithReadsRenamed(const GraphPtr& graph, NameMap names) {
  for (const std::string& own : OwnNames(*graph)) names.erase(own);
  const std::vector<std::string> outer =
      OuterNames(*graph, [](const Node& node) { return OuterNames(node); });
  if (std::none_of(outer.begin(), outer.end(),
                   [&](const std::string& name) { return names.contains(name); })) {
    return graph;
  }
  auto renamed = std::make_shared<Graph>(*graph);
  for (Node& node : renamed->nodes) node = WithReadsRenamed(node, names);
  for (ValueInfo& output : renamed->outputs) Rename(names, &output.name);
  return renamed;
}

}  // namespace

Node WithReadsRenamed(const Node& node, const NameMap& names) {
  Node renamed = node;
  for (std::string& input : renamed.inputs) Rename(names, &input);
  for (auto& [name, attribute] : renamed.attributes) {
    if (auto* graph = std::get_if<GraphPtr>(&attribute)) {
      *graph = BodyWithReadsRenamed(*graph, names);
    } else if (auto* graphs = std::get_if<std::vector<GraphPtr>>(&attribute)) {
      for (GraphPtr& element : *graphs) element = BodyWithReadsRenamed(element, names);
    }
  }
  return renamed;
}

}  // namespace onnxcmp

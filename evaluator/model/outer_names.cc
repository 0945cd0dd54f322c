#include "evaluator/model/outer_names.h"

#include <memory>
#include <utility>

namespace onnxcmp {

std::vector<const Graph*> GraphsOf(const Node& node) {
  std::vector<const Graph*> graphs;
  for (const auto& [name, attribute] : node.attributes) {
    if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
      graphs.push_back(graph->get());
    } else if (const auto* list =
                   std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
      for (const auto& element : *list) graphs.push_back(element.get());
    }
  }
  return graphs;
}

absl::flat_hash_set<std::string> OwnNames(const Graph& graph) {
  absl::flat_hash_set<std::string> names;
  for (const ValueInfo& input : graph.inputs) names.insert(input.name);
  for (const Initializer& initializer : graph.initializers) names.insert(initializer.name);
  for (const Node& node : graph.nodes) names.insert(node.outputs.begin(), node.outputs.end());
  return names;
}

void CollectNames(const Graph& graph, absl::flat_hash_set<std::string>* names) {
  names->merge(OwnNames(graph));
  for (const Node& node : graph.nodes) {
    for (const Graph* inner : GraphsOf(node)) CollectNames(*inner, names);
  }
}

std::vector<std::string> OuterNames(
    const Graph& graph, absl::FunctionRef<std::vector<std::string>(const Node&)> captures) {
  absl::flat_hash_set<std::string> known = OwnNames(graph);
  std::vector<std::string> names;
  const auto read = [&](const std::string& name) {
    if (!name.empty() && known.insert(name).second) names.push_back(name);
  };
  for (const Node& node : graph.nodes) {
    for (const std::string& input : node.inputs) read(input);
    for (const std::string& capture : captures(node)) read(capture);
  }
  for (const ValueInfo& output : graph.outputs) read(output.name);
  return names;
}

std::vector<std::string> OuterNames(const Node& node) {
  std::vector<std::string> names;
  absl::flat_hash_set<std::string> seen;
  for (const Graph* graph : GraphsOf(node)) {
    for (std::string& name : OuterNames(*graph, [](const Node& n) { return OuterNames(n); })) {
      if (seen.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace onnxcmp

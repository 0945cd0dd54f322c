#include <algorithm>
#include <random>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tests/support/model_faults.h"

namespace onnxcmp::testing {

void Disguise(uint64_t seed, Model* model, std::string* place) {
  std::mt19937_64 random(seed);
  Graph& graph = model->graph;
  absl::flat_hash_map<std::string, std::string> names = {{"", ""}};
  for (const ValueInfo& input : graph.inputs) names[input.name] = input.name;
  for (const ValueInfo& output : graph.outputs) names[output.name] = output.name;
  size_t next = random() % 1000;
  const auto renamed = [&](std::string* name) {
    const auto [it, added] = names.try_emplace(*name, absl::StrCat("v", next));
    if (added) next += 1 + random() % 3;
    *name = it->second;
  };
  const bool has_subgraphs = absl::c_any_of(graph.nodes, [](const Node& node) {
    return absl::c_any_of(node.attributes, [](const auto& attribute) {
      return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.second);
    });
  });
  // The names that subgraphs read of the main graph would have to change in them.
  if (!has_subgraphs) {
    for (Initializer& initializer : graph.initializers) renamed(&initializer.name);
    for (Node& node : graph.nodes) {
      node.name = absl::StrCat("n", next++);
      for (std::string& input : node.inputs) renamed(&input);
      for (std::string& output : node.outputs) renamed(&output);
    }
    if (place != nullptr) renamed(place);
  }
  std::shuffle(graph.initializers.begin(), graph.initializers.end(), random);
  // Copies that some inputs are read through.
  std::vector<Node> nodes;
  for (Node& node : graph.nodes) {
    if (!node.inputs.empty() && !node.inputs[0].empty() && random() % 8 == 0) {
      Node copy;
      copy.op_type = "Identity";
      copy.name = absl::StrCat("n", next);
      copy.inputs = {node.inputs[0]};
      copy.outputs = {absl::StrCat("copy", next++)};
      copy.imports = std::make_shared<const OpsetImports>(model->imports);
      node.inputs[0] = copy.outputs[0];
      nodes.push_back(std::move(copy));
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace onnxcmp::testing

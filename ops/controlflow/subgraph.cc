#include "ops/controlflow/subgraph.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "absl/strings/str_cat.h"

namespace onnxcmp {

const Graph* SubgraphAttribute(const KernelInit& node, absl::string_view name) {
  const auto& attributes = node.node().attributes;
  const auto found = attributes.find(name);
  if (found == attributes.end()) return nullptr;
  const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&found->second);
  return graph == nullptr ? nullptr : graph->get();
}

absl::Status CheckSubgraph(const KernelInit& node, absl::string_view name, int inputs,
                           int outputs) {
  const Graph* graph = SubgraphAttribute(node, name);
  if (graph == nullptr) return absl::OkStatus();
  const auto has_initializer = [&](const ValueInfo& input) {
    return std::any_of(graph->initializers.begin(), graph->initializers.end(),
                       [&](const Initializer& i) { return i.name == input.name; });
  };
  const auto wanted = static_cast<size_t>(inputs);
  if (graph->inputs.size() < wanted ||
      !std::all_of(graph->inputs.begin() + inputs, graph->inputs.end(), has_initializer)) {
    return absl::InvalidArgumentError(absl::StrCat("the graph ", name, " takes ",
                                                   graph->inputs.size(),
                                                   " inputs, the node gives it ", inputs));
  }
  if (graph->outputs.size() < static_cast<size_t>(outputs)) {
    return absl::InvalidArgumentError(absl::StrCat("the graph ", name, " yields ",
                                                   graph->outputs.size(),
                                                   " outputs, the node needs ", outputs));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp

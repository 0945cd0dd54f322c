#include "show/model/node_selection.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/status_macros.h"
#include "record/text/meant_name.h"

namespace onnxcmp {
namespace {

using Nodes = absl::flat_hash_set<const ShownNode*>;

// The values that a node reads in its own graph, those that its subgraphs read there included.
std::vector<std::string> ReadsOf(const ShownNode& node) {
  std::vector<std::string> reads = node.inputs;
  for (const auto& [name, graph] : node.graphs) {
    ForEachNode(*graph, [&](const ShownGraph&, const ShownNode& inner) {
      reads.insert(reads.end(), inner.inputs.begin(), inner.inputs.end());
    });
    reads.insert(reads.end(), graph->outputs.begin(), graph->outputs.end());
  }
  return reads;
}

// Nodes of one graph within some steps of a name.
Nodes Around(const ShownGraph& graph, const std::string& name, int hops) {
  absl::flat_hash_map<std::string, size_t> maker;
  absl::flat_hash_map<std::string, std::vector<size_t>> readers;
  std::vector<std::vector<std::string>> reads;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) maker[output] = i;
    reads.push_back(ReadsOf(graph.nodes[i]));
    for (const std::string& input : reads.back()) readers[input].push_back(i);
  }
  std::vector<size_t> border;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ShownNode& node = graph.nodes[i];
    if (node.label() == name ||
        std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end()) {
      border.push_back(i);
    }
  }
  // An input or a constant stands for those who read it.
  if (border.empty()) border = readers[name];
  std::vector<bool> seen(graph.nodes.size());
  for (const size_t i : border) seen[i] = true;
  for (int hop = 0; hop < hops && !border.empty(); ++hop) {
    std::vector<size_t> next;
    const auto add = [&](size_t i) {
      if (seen[i]) return;
      seen[i] = true;
      next.push_back(i);
    };
    for (const size_t i : border) {
      for (const std::string& input : reads[i]) {
        if (const auto it = maker.find(input); !input.empty() && it != maker.end()) add(it->second);
      }
      for (const std::string& output : graph.nodes[i].outputs) {
        if (output.empty()) continue;
        for (const size_t reader : readers[output]) add(reader);
      }
    }
    border = std::move(next);
  }
  Nodes nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (seen[i]) nodes.insert(&graph.nodes[i]);
  }
  return nodes;
}

void AddGraphs(const ShownGraph& graph, std::vector<const ShownGraph*>* graphs) {
  graphs->push_back(&graph);
  for (const ShownNode& node : graph.nodes) {
    for (const auto& [name, body] : node.graphs) AddGraphs(*body, graphs);
  }
}

std::vector<const ShownGraph*> AllGraphs(const ShownModel& model) {
  std::vector<const ShownGraph*> graphs;
  AddGraphs(model.graph, &graphs);
  for (const ShownFunction& function : model.functions) AddGraphs(function.body, &graphs);
  return graphs;
}

std::vector<std::string> NamesIn(const ShownGraph& graph) {
  std::vector<std::string> names = graph.inputs;
  for (const ShownConstant& constant : graph.constants) names.push_back(constant.name);
  for (const ShownNode& node : graph.nodes) {
    names.push_back(node.label());
    for (const std::string& output : node.outputs) {
      if (!output.empty()) names.push_back(output);
    }
  }
  return names;
}

absl::StatusOr<Nodes> AroundName(const ShownModel& model, const SelectionOptions& options) {
  const std::vector<const ShownGraph*> graphs = AllGraphs(model);
  std::vector<std::vector<std::string>> names_in;
  std::vector<std::string> names;
  for (const ShownGraph* graph : graphs) {
    names_in.push_back(NamesIn(*graph));
    names.insert(names.end(), names_in.back().begin(), names_in.back().end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  OC_ASSIGN_OR_RETURN(const std::string name,
                      MeantName(options.around, names, "nodes and values of the model"));
  Nodes nodes;
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (std::find(names_in[i].begin(), names_in[i].end(), name) == names_in[i].end()) continue;
    const Nodes found = Around(*graphs[i], name, options.hops);
    nodes.insert(found.begin(), found.end());
  }
  if (nodes.empty()) {
    return absl::NotFoundError(absl::StrCat("no node reads or makes ", name));
  }
  return nodes;
}

absl::StatusOr<Nodes> OfOperators(const ShownModel& model,
                                  const std::vector<std::string>& operators) {
  Nodes nodes;
  std::vector<std::string> known;
  std::vector<bool> found(operators.size());
  for (const ShownGraph* graph : AllGraphs(model)) {
    for (const ShownNode& node : graph->nodes) {
      known.push_back(node.op_type);
      for (size_t i = 0; i < operators.size(); ++i) {
        const std::string wanted = absl::AsciiStrToLower(operators[i]);
        if (absl::AsciiStrToLower(node.op_type) != wanted &&
            absl::AsciiStrToLower(node.op()) != wanted) {
          continue;
        }
        found[i] = true;
        nodes.insert(&node);
      }
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (size_t i = 0; i < operators.size(); ++i) {
    if (found[i]) continue;
    return absl::NotFoundError(
        absl::StrCat("the model has no operator ", operators[i], DidYouMean(operators[i], known)));
  }
  return nodes;
}

}  // namespace

bool NodeSelection::Reaches(const ShownNode& node) const {
  return Has(node) || std::any_of(node.graphs.begin(), node.graphs.end(),
                                  [&](const auto& graph) { return Reaches(*graph.second); });
}

bool NodeSelection::Reaches(const ShownGraph& graph) const {
  return all() || std::any_of(graph.nodes.begin(), graph.nodes.end(),
                              [&](const ShownNode& node) { return Reaches(node); });
}

absl::StatusOr<NodeSelection> SelectNodes(const ShownModel& model,
                                          const SelectionOptions& options) {
  if (options.around.empty() && options.operators.empty()) return NodeSelection();
  Nodes nodes;
  if (!options.around.empty()) {
    OC_ASSIGN_OR_RETURN(nodes, AroundName(model, options));
  }
  if (!options.operators.empty()) {
    OC_ASSIGN_OR_RETURN(Nodes of_operators, OfOperators(model, options.operators));
    if (options.around.empty()) return NodeSelection(std::move(of_operators));
    absl::erase_if(nodes, [&](const ShownNode* node) { return !of_operators.contains(node); });
  }
  return NodeSelection(std::move(nodes));
}

std::vector<std::string> OperatorList(absl::string_view text) {
  std::vector<std::string> operators;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const absl::string_view name = absl::StripAsciiWhitespace(part);
    if (!name.empty()) operators.emplace_back(name);
  }
  return operators;
}

}  // namespace onnxcmp

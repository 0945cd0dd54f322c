#include "tools/model_explorer/explorer_ids.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// The names of nodes as the adapter's pass makes them unique: within their graph, with numbers that
// go on through the graphs inside.
class NameFixer {
 public:
  using Used = absl::flat_hash_set<std::string>;

  std::string Fix(const std::string& name, Used* used) {
    const std::string wanted = name.empty() ? "node" : name;
    std::string fixed = wanted;
    while (used->contains(fixed)) fixed = absl::StrCat(wanted, "_", ++counts_[wanted]);
    used->insert(fixed);
    return fixed;
  }

 private:
  absl::flat_hash_map<std::string, int> counts_;
};

bool IsIf(const onnx::NodeProto& node) {
  return node.op_type() == "If" && (node.domain().empty() || node.domain() == "ai.onnx");
}

std::string FunctionKey(absl::string_view domain, absl::string_view name,
                        absl::string_view overload) {
  return absl::StrCat(domain == "ai.onnx" ? "" : domain, "::", name,
                      overload.empty() ? "" : "::", overload);
}

}  // namespace

class ExplorerIds::Graphs {
 public:
  explicit Graphs(std::shared_ptr<const onnx::ModelProto> model) : model_(std::move(model)) {
    const onnx::GraphProto& graph = model_->graph();
    main_.id = graph.name().empty() ? "<main>" : graph.name();
    NameFixer fixer;
    AddNodes(graph.node(), &fixer, &main_);
    for (const auto& input : graph.input()) main_.values.insert(input.name());
    for (const auto& tensor : graph.initializer()) main_.values.insert(tensor.name());
    for (const auto& tensor : graph.sparse_initializer()) {
      main_.values.insert(tensor.values().name());
    }
    for (const onnx::FunctionProto& function : model_->functions()) {
      NameFixer fixer_of_function;
      Graph& body =
          functions_[FunctionKey(function.domain(), function.name(), function.overload())];
      body.id = absl::StrCat("[function]", function.domain(), "::", function.name(),
                             function.overload().empty() ? "" : "::", function.overload());
      AddNodes(function.node(), &fixer_of_function, &body);
    }
    NameSubgraphs("", true, &main_);
    for (auto& [key, body] : functions_) NameSubgraphs("", false, &body);
  }

  std::vector<ExplorerPlace> PlacesOf(const ExplorerResult& result) const {
    std::vector<ExplorerPlace> places;
    if (result.output) {
      places.push_back({main_.id, absl::StrCat("[value] ", result.name)});
      return places;
    }
    const Graph* graph = Follow(result.path, &places);
    if (graph == nullptr || graph->id.empty()) return places;
    const std::optional<size_t> node = NodeIn(*graph, result);
    if (node.has_value()) {
      places.push_back({graph->id, graph->ids[*node]});
      // Its branches stand in place of it, and what joins them after them.
      if (IsIf(*graph->nodes[*node])) {
        places.push_back({graph->id, absl::StrCat(graph->ids[*node], "_phi")});
      }
    } else if (graph->values.contains(std::string(result.name))) {
      places.push_back({graph->id, absl::StrCat("[value] ", result.name)});
    }
    return places;
  }

 private:
  struct Graph {
    std::string id;  // "": it is not shown
    std::vector<const onnx::NodeProto*> nodes;
    std::vector<std::string> ids;
    absl::flat_hash_map<std::string, size_t> maker;  // by the name of an output
    absl::flat_hash_set<std::string> values;         // inputs and initializers
    // By node: the graphs in it and the names of their attributes.
    absl::flat_hash_map<size_t, std::vector<std::pair<std::string, std::unique_ptr<Graph>>>> inner;
  };

  template <typename Nodes>
  void AddNodes(const Nodes& nodes, NameFixer* fixer, Graph* graph) {
    NameFixer::Used used;
    for (const onnx::NodeProto& node : nodes) {
      const size_t number = graph->nodes.size();
      graph->nodes.push_back(&node);
      graph->ids.push_back(fixer->Fix(node.name(), &used));
      for (const std::string& output : node.output()) {
        if (!output.empty()) graph->maker.try_emplace(output, number);
      }
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (!attribute.has_g()) continue;
        auto inner = std::make_unique<Graph>();
        for (const auto& input : attribute.g().input()) inner->values.insert(input.name());
        for (const auto& tensor : attribute.g().initializer()) inner->values.insert(tensor.name());
        AddNodes(attribute.g().node(), fixer, inner.get());
        graph->inner[number].emplace_back(attribute.name(), std::move(inner));
      }
    }
  }

  // Branches are shown within the graph that the If is in; bodies of loops have a graph of their
  // own, but only those of the main graph's loops.
  void NameSubgraphs(const std::string& prefix, bool main, Graph* graph) {
    for (std::string& id : graph->ids) id = absl::StrCat(prefix, id);
    for (auto& [number, bodies] : graph->inner) {
      for (auto& [attribute, body] : bodies) {
        const std::string name = absl::StrCat(graph->ids[number], "/", attribute);
        const bool branch = IsIf(*graph->nodes[number]);
        if (branch) {
          body->id = graph->id;
          body->values.clear();
        } else if (main) {
          body->id = name;
        }
        NameSubgraphs(branch ? absl::StrCat(name, "/") : "", main && branch, body.get());
      }
    }
  }

  // True if paths call the node so: by its name or, if it has none, its first output.
  static bool IsCalled(const onnx::NodeProto& node, absl::string_view label) {
    if (!node.name().empty()) return node.name() == label;
    for (const std::string& output : node.output()) {
      if (!output.empty()) return output == label;
    }
    return false;
  }

  const Graph* FunctionOf(const onnx::NodeProto& node) const {
    const auto it = functions_.find(FunctionKey(node.domain(), node.op_type(), node.overload()));
    return it == functions_.end() ? nullptr : &it->second;
  }

  // The graph within a node, of the longest label that the path begins with: names have slashes,
  // too. Null if there is none.
  // Adds the node if it is the call of a function, which has no results of its own.
  const Graph* Step(const Graph& graph, absl::string_view* path,
                    std::vector<ExplorerPlace>* calls) const {
    const Graph* found = nullptr;
    const std::string* call = nullptr;
    absl::string_view rest = *path;
    size_t longest = 0;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const onnx::NodeProto& node = *graph.nodes[i];
      const Graph* function = FunctionOf(node);
      const auto inner = graph.inner.find(i);
      if (function == nullptr && inner == graph.inner.end()) continue;
      for (size_t end = path->find_first_of("/[", longest + 1);;
           end = path->find_first_of("/[", end + 1)) {
        const absl::string_view label = path->substr(0, end);
        if (label.size() > longest && IsCalled(node, label)) {
          const absl::string_view after = path->substr(label.size());
          call = nullptr;
          if (function != nullptr && (after.empty() || after.front() == '/')) {
            found = function;
            call = &graph.ids[i];
          } else if (inner != graph.inner.end() && absl::StartsWith(after, "[")) {
            found = BodyOf(inner->second, after);
          } else {
            found = nullptr;
          }
          longest = label.size();
          rest = after;
        }
        if (end == absl::string_view::npos) break;
      }
    }
    if (found == nullptr) return nullptr;
    if (call != nullptr && !graph.id.empty()) calls->push_back({graph.id, *call});
    if (absl::StartsWith(rest, "[")) {
      rest = rest.substr(std::min(rest.size(), rest.find(']') + 1));
    }
    *path = absl::StripPrefix(rest, "/");
    return found;
  }

  // `index`: "[3]/...", "[then_branch]/...".
  static const Graph* BodyOf(
      const std::vector<std::pair<std::string, std::unique_ptr<Graph>>>& bodies,
      absl::string_view index) {
    for (const auto& [attribute, body] : bodies) {
      if (absl::StartsWith(index, absl::StrCat("[", attribute, "]"))) return body.get();
    }
    return bodies.size() == 1 ? bodies.front().second.get() : nullptr;
  }

  const Graph* Follow(absl::string_view path, std::vector<ExplorerPlace>* calls) const {
    const Graph* graph = &main_;
    while (graph != nullptr && !path.empty()) graph = Step(*graph, &path, calls);
    return graph;
  }

  std::optional<size_t> NodeIn(const Graph& graph, const ExplorerResult& result) const {
    if (result.node >= 0) {
      // Calls within were inlined, too: they have paths of their own.
      int number = 0;
      for (size_t i = 0; i < graph.nodes.size(); ++i) {
        if (FunctionOf(*graph.nodes[i]) != nullptr) continue;
        if (number++ != result.node) continue;
        if (graph.nodes[i]->op_type() == result.op_type) return i;
        break;
      }
    }
    // Inlined names have a number at their end: "s__1".
    for (const absl::string_view name :
         {result.name, result.name.substr(0, result.name.rfind("__"))}) {
      const auto it = graph.maker.find(std::string(name));
      if (it != graph.maker.end()) return it->second;
    }
    return std::nullopt;
  }

  const std::shared_ptr<const onnx::ModelProto> model_;
  Graph main_;
  absl::flat_hash_map<std::string, Graph> functions_;
};

ExplorerIds::ExplorerIds(std::shared_ptr<const onnx::ModelProto> model)
    : graphs_(std::make_unique<const Graphs>(std::move(model))) {}

ExplorerIds::~ExplorerIds() = default;

std::vector<ExplorerPlace> ExplorerIds::PlacesOf(const ExplorerResult& result) const {
  return graphs_->PlacesOf(result);
}

}  // namespace onnxcmp

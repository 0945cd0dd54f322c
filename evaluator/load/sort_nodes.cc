#include "evaluator/load/sort_nodes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/proto_walk.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

// A name that a graph uses and does not make, and who uses it first (null: the graph, as output).
struct FreeName {
  absl::string_view name;
  const onnx::NodeProto* user;
};

// One graph or function body while it is sorted. Names point into the messages.
class Scope {
 public:
  // `where` is put into errors: "in then_branch of If 'x'"; "" for the main graph.
  Scope(Nodes* nodes, std::string where) : nodes_(nodes), where_(std::move(where)) {}

  absl::Status AddInput(absl::string_view name) {
    if (!makers_.emplace(name, kInput).second) {
      return Error(absl::StrCat("the input ", Quoted(name), " is there twice"));
    }
    return absl::OkStatus();
  }

  // An initializer may give an input its default.
  absl::Status AddInitializer(absl::string_view name) {
    if (name.empty()) return Error("an initializer has no name");
    auto [maker, added] = makers_.emplace(name, kInitializer);
    if (!added && std::exchange(maker->second, kInitializer) == kInitializer) {
      return Error(absl::StrCat("the initializer ", Quoted(name), " is there twice"));
    }
    return absl::OkStatus();
  }

  absl::Status Sort() {
    OC_RETURN_IF_ERROR(AddNodeOutputs());
    OC_RETURN_IF_ERROR(FindNeeds());
    return PutInOrder();
  }

  bool Makes(absl::string_view name) const { return makers_.contains(name); }

  // Names from outside, each once. A subgraph's may be made around it.
  std::vector<FreeName>& free_names() { return free_names_; }

  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(where_.empty() ? std::string(what)
                                                     : absl::StrCat(where_, ": ", what));
  }

  absl::Status NothingMakes(const FreeName& free) const {
    return free.user == nullptr
               ? Error(absl::StrCat("nothing makes its output ", Quoted(free.name)))
               : Error(absl::StrCat("nothing makes the input ", Quoted(free.name), " of ",
                                    DescribeNode(*free.user, "")));
  }

 private:
  static constexpr int kInput = -1;
  static constexpr int kInitializer = -2;

  absl::Status AddNodeOutputs() {
    for (int i = 0; i < nodes_->size(); ++i) {
      for (const std::string& output : nodes_->Get(i).output()) {
        if (output.empty()) continue;
        auto [maker, added] = makers_.emplace(output, i);
        if (added) continue;
        int other = maker->second;
        return Error(absl::StrCat(Quoted(output), " is made twice: by ",
                                  other == kInput         ? std::string("the graph's inputs")
                                  : other == kInitializer ? std::string("the initializers")
                                                          : DescribeNode(nodes_->Get(other), ""),
                                  " and by ", DescribeNode(nodes_->Get(i), "")));
      }
    }
    return absl::OkStatus();
  }

  absl::Status FindNeeds() {
    needs_.resize(static_cast<size_t>(nodes_->size()));
    for (int i = 0; i < nodes_->size(); ++i) {
      onnx::NodeProto* node = nodes_->Mutable(i);
      for (const std::string& input : node->input()) {
        if (!input.empty()) Need(i, {input, node});
      }
      OC_RETURN_IF_ERROR(ForEachSubgraph(
          node, [&](const onnx::AttributeProto& attribute, onnx::GraphProto* graph) {
            return SortSubgraph(i, attribute.name(), graph);
          }));
    }
    return absl::OkStatus();
  }

  absl::Status SortSubgraph(int node, absl::string_view attribute, onnx::GraphProto* graph);

  void Need(int node, const FreeName& free) {
    if (auto maker = makers_.find(free.name); maker != makers_.end()) {
      if (maker->second >= 0) needs_[static_cast<size_t>(node)].push_back(maker->second);
    } else if (is_free_.insert(free.name).second) {
      free_names_.push_back(free);
    }
  }

  // Each node in turn, those that it needs before it.
  absl::Status PutInOrder() {
    enum State : uint8_t { kNew, kOpen, kDone };
    auto count = static_cast<size_t>(nodes_->size());
    std::vector<State> state(count, kNew);
    std::vector<int> order;
    std::vector<std::pair<int, size_t>> path;  // node, which of its needs comes next
    for (int root = 0; root < nodes_->size(); ++root) {
      if (state[static_cast<size_t>(root)] == kNew) path.emplace_back(root, 0);
      while (!path.empty()) {
        auto& [node, next] = path.back();
        auto index = static_cast<size_t>(node);
        state[index] = kOpen;
        if (next == needs_[index].size()) {
          state[index] = kDone;
          order.push_back(node);
          path.pop_back();
          continue;
        }
        int need = needs_[index][next++];
        State need_state = state[static_cast<size_t>(need)];
        if (need_state == kOpen) return CycleError(path, need);
        if (need_state == kNew) path.emplace_back(need, 0);
      }
    }
    if (std::is_sorted(order.begin(), order.end())) return absl::OkStatus();
    std::vector<onnx::NodeProto*> old(count);
    nodes_->ExtractSubrange(0, nodes_->size(), old.data());
    for (int i : order) nodes_->AddAllocated(old[static_cast<size_t>(i)]);
    return absl::OkStatus();
  }

  absl::Status CycleError(const std::vector<std::pair<int, size_t>>& path, int first) const {
    constexpr size_t kMaxListed = 10;
    size_t begin = path.size();
    while (path[begin - 1].first != first) --begin;
    --begin;
    std::string text;
    for (size_t i = begin; i < path.size() && i < begin + kMaxListed; ++i) {
      absl::StrAppend(&text, DescribeNode(nodes_->Get(path[i].first), ""), " needs ");
    }
    if (path.size() - begin > kMaxListed) {
      absl::StrAppend(&text, "... (", path.size() - begin - kMaxListed, " more) needs ");
    }
    return Error(absl::StrCat("nodes need each other's outputs: ", text,
                              DescribeNode(nodes_->Get(first), "")));
  }

  Nodes* nodes_;
  std::string where_;
  absl::flat_hash_map<absl::string_view, int> makers_;  // index of a node, kInput, kInitializer
  std::vector<std::vector<int>> needs_;                 // of each node: nodes
  absl::flat_hash_set<absl::string_view> is_free_;
  std::vector<FreeName> free_names_;
};

absl::StatusOr<std::vector<FreeName>> SortGraph(onnx::GraphProto* graph, const std::string& where) {
  Scope scope(graph->mutable_node(), where);
  for (const onnx::ValueInfoProto& input : graph->input()) {
    if (input.name().empty()) return scope.Error("an input has no name");
    OC_RETURN_IF_ERROR(scope.AddInput(input.name()));
  }
  for (const onnx::TensorProto& initializer : graph->initializer()) {
    OC_RETURN_IF_ERROR(scope.AddInitializer(initializer.name()));
  }
  for (const onnx::SparseTensorProto& initializer : graph->sparse_initializer()) {
    OC_RETURN_IF_ERROR(scope.AddInitializer(initializer.values().name()));
  }
  OC_RETURN_IF_ERROR(scope.Sort());
  std::vector<FreeName> free_names = std::move(scope.free_names());
  for (const onnx::ValueInfoProto& output : graph->output()) {
    if (output.name().empty()) return scope.Error("an output has no name");
    if (!scope.Makes(output.name())) free_names.push_back({output.name(), nullptr});
  }
  return free_names;
}

absl::Status Scope::SortSubgraph(int node, absl::string_view attribute, onnx::GraphProto* graph) {
  std::string where = absl::StrCat(where_.empty() ? "" : absl::StrCat(where_, ", "), "in ",
                                   OneLine(attribute), " of ", DescribeNode(nodes_->Get(node), ""));
  OC_ASSIGN_OR_RETURN(std::vector<FreeName> outer, SortGraph(graph, where));
  for (const FreeName& free : outer) {
    Need(node, {free.name, free.user == nullptr ? &nodes_->Get(node) : free.user});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SortNodes(onnx::GraphProto* graph) {
  OC_ASSIGN_OR_RETURN(std::vector<FreeName> free_names, SortGraph(graph, ""));
  if (free_names.empty()) return absl::OkStatus();
  return Scope(graph->mutable_node(), "").NothingMakes(free_names[0]);
}

absl::Status SortNodes(onnx::FunctionProto* function) {
  Scope scope(function->mutable_node(),
              absl::StrCat("in function ", OperatorName(function->domain(), function->name())));
  for (const std::string& input : function->input()) {
    OC_RETURN_IF_ERROR(scope.AddInput(input));
  }
  OC_RETURN_IF_ERROR(scope.Sort());
  if (!scope.free_names().empty()) return scope.NothingMakes(scope.free_names()[0]);
  absl::flat_hash_set<absl::string_view> seen;
  for (const std::string& output : function->output()) {
    if (!scope.Makes(output)) return scope.NothingMakes({output, nullptr});
    if (!seen.insert(output).second) {
      return scope.Error(absl::StrCat("the output ", Quoted(output), " is there twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp

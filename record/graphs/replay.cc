#include "record/graphs/replay.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

ReplayPolicy::Outputs ReplayPolicy::RunNode(int n, bool as_side) {
  for (const int r : graph_.Reads(n)) {
    if (Read(r).empty()) return absl::UnavailableError("an input is not known");
  }
  ++runs_;
  const auto read = [&](int r) -> const Value& { return Read(r); };
  return as_side ? graph_.RunAsSide(n, read) : graph_.Run(n, read);
}

bool ReplayPolicy::Replay(absl::Span<const int> nodes) {
  return absl::c_all_of(nodes, [&](int n) { return Step(n); });
}

bool ReplayPolicy::ReplayAll() {
  for (size_t n = 0; n < graph_.nodes().size(); ++n) {
    if (!Step(static_cast<int>(n))) return false;
  }
  return true;
}

HoldingReplay::HoldingReplay(const SideGraph& graph, absl::Span<const int> nodes,
                             absl::Span<const int> wanted)
    : ReplayPolicy(graph), nodes_(nodes.begin(), nodes.end()) {
  for (const int n : nodes_) {
    for (const int r : graph.Reads(n)) ++reads_[r];
  }
  // One read more than there are readers.
  for (const int r : wanted) ++reads_[r];
}

const Value& HoldingReplay::Read(int r) {
  const auto [it, is_new] = values_.try_emplace(r);
  if (is_new && IsGiven(r)) it->second = Given(r);
  return it->second;
}

void HoldingReplay::Put(int n, const std::vector<Value>& outputs) {
  for (const int r : graph().Reads(n)) {
    if (--reads_[r] == 0) values_.erase(r);
  }
  const FewResults& names = graph().node(n).made->outputs;
  for (size_t i = 0; i < std::min(names.size(), outputs.size()); ++i) {
    const int r = names[i];
    if (r == kNone || IsGiven(r) || !reads_.contains(r)) continue;
    values_.insert_or_assign(r, Made(r, outputs[i]));
  }
}

bool HoldingReplay::Take(int n, Outputs outputs) {
  if (!outputs.ok()) return false;
  Put(n, *outputs);
  return true;
}

namespace {

std::vector<int> AllNodes(const SideGraph& graph) {
  std::vector<int> nodes(graph.nodes().size());
  absl::c_iota(nodes, 0);
  return nodes;
}

}  // namespace

WholeReplay::WholeReplay(const SideGraph& graph, std::vector<Value> leaves)
    : HoldingReplay(graph, AllNodes(graph), {}), leaves_(std::move(leaves)) {}

bool WholeReplay::Run() {
  for (const int r : graph().results()) {
    if (IsGiven(r)) leaves_[Index(r)] = See(r, leaves_[Index(r)]);
  }
  return HoldingReplay::Run();
}

// All results are shown, whether or not a node reads them.
bool WholeReplay::Take(int n, Outputs outputs) {
  if (!outputs.ok()) return false;
  const FewResults& names = graph().node(n).made->outputs;
  for (size_t i = 0; i < std::min(names.size(), outputs->size()); ++i) {
    if (names[i] != kNone) (*outputs)[i] = See(names[i], (*outputs)[i]);
  }
  return HoldingReplay::Take(n, std::move(outputs));
}

std::vector<Value> LeavesOf(const SideGraph& graph, const Feeds& feeds) {
  std::vector<Value> leaves(graph.stream().results.size());
  absl::flat_hash_map<absl::string_view, const Value*> initializers;
  for (const Initializer& initializer : graph.evaluator()->model().graph.initializers) {
    initializers[initializer.name] = &initializer.value;
  }
  for (const int r : graph.results()) {
    if (graph.producer(r) != kNone) continue;
    const StreamResult& result = graph.result(r);
    if (result.kind == ResultKind::kInitializer) {
      const auto it = initializers.find(result.name);
      if (it != initializers.end()) leaves[Index(r)] = graph.FromModel(r, *it->second);
    } else if (const auto it = feeds.find(result.name); it != feeds.end()) {
      leaves[Index(r)] = graph.FromModel(r, it->second);
    }
  }
  return leaves;
}

bool ReplayWhole(const SideGraph& graph, std::vector<Value> leaves,
                 absl::FunctionRef<Value(int r, const Value& own)> see) {
  class Shown : public WholeReplay {
   public:
    Shown(const SideGraph& graph, std::vector<Value> leaves,
          absl::FunctionRef<Value(int r, const Value& own)> see)
        : WholeReplay(graph, std::move(leaves)), see_(see) {}

   private:
    Value See(int r, const Value& own) override { return see_(r, own); }

    absl::FunctionRef<Value(int r, const Value& own)> see_;
  };
  return Shown(graph, std::move(leaves), see).Run();
}

}  // namespace onnxcmp

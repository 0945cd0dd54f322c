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

using Seen = absl::FunctionRef<Value(int r, const Value& own)>;

std::vector<int> AllNodes(const SideGraph& graph) {
  std::vector<int> nodes(graph.nodes().size());
  absl::c_iota(nodes, 0);
  return nodes;
}

class WholeReplay : public HoldingReplay {
 public:
  WholeReplay(const SideGraph& graph, const std::vector<Value>& leaves, Seen see)
      : HoldingReplay(graph, AllNodes(graph), {}), leaves_(leaves), see_(see) {
    for (const int r : graph.results()) {
      if (IsGiven(r)) leaves_[Index(r)] = see(r, leaves_[Index(r)]);
    }
  }

 private:
  bool IsGiven(int r) const override { return graph().producer(r) == kNone; }
  Value Given(int r) override { return leaves_[Index(r)]; }
  // All results are shown, whether or not a node reads them.
  bool Take(int n, Outputs outputs) override {
    if (!outputs.ok()) return false;
    const FewResults& names = graph().node(n).made->outputs;
    for (size_t i = 0; i < std::min(names.size(), outputs->size()); ++i) {
      if (names[i] != kNone) (*outputs)[i] = see_(names[i], (*outputs)[i]);
    }
    return HoldingReplay::Take(n, std::move(outputs));
  }

  std::vector<Value> leaves_;
  Seen see_;
};

}  // namespace

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

bool ReplayWhole(const SideGraph& graph, const std::vector<Value>& leaves, Seen see) {
  return WholeReplay(graph, leaves, see).Run();
}

}  // namespace onnxcmp

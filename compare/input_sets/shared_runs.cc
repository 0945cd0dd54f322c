#include "compare/input_sets/shared_runs.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "compare/sides/lock_step.h"
#include "compare/sides/value_bank.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "feed/feeds.h"
#include "feed/input_fit.h"
#include "record/base/work_bounds.h"
#include "record/streams/node_facts.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostHeld = int64_t{256} << 20;

// Value numbers of a graph's nodes, in order.
std::vector<uint64_t> NumbersOf(const Graph& graph, SideId side,
                                const std::vector<std::string>& inputs, NodeFactsCache* facts,
                                FingerprintCache* fingerprints) {
  // Numbers of inputs that both sides have; inputs of one side have others, far apart.
  constexpr uint64_t kOfBoth = 0x9e3779b97f4a7c15;
  constexpr PerSide<uint64_t> kOfOne = {0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9};
  ComputationHashes numbers;
  numbers.Expect(graph.initializers.size() + inputs.size() + graph.nodes.size());
  for (const Initializer& initializer : graph.initializers) {
    numbers.Set(initializer.name, fingerprints->Content(initializer.value, nullptr).low);
  }
  // An input goes before an initializer of the same name.
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    numbers.Set(graph.inputs[i].name, kOfOne[side] + i);
  }
  for (size_t i = 0; i < inputs.size(); ++i) numbers.Set(inputs[i], kOfBoth + i);
  std::vector<uint64_t> of_nodes;
  of_nodes.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) of_nodes.push_back(numbers.Add(node, facts->Of(node)));
  return of_nodes;
}

bool MayBeShared(const Node& node) { return node.body == nullptr && GraphsOf(node).empty(); }

}  // namespace

// Holds outputs of the left's nodes while that runs, and gives them to the right's.
class SharedRuns::Handover : public Observer {
 public:
  Handover(SharedRuns* runs, SideId side) : runs_(*runs), side_(side) {}

  void OnNodeOutputs(const PendingNode& run, absl::Span<Value> outputs, bool drew) override {
    if (side_ == SideId::kRight) return;
    const auto number = runs_.numbers_.left.find(&run.node);
    if (drew || number == runs_.numbers_.left.end()) return;
    int64_t bytes = 0;
    for (const Value& output : outputs) bytes += output.empty() ? 0 : BytesHeldBy(output);
    if (held_ + bytes > kMostHeld) return;
    held_ += bytes;
    runs_.held_[number->second].assign(outputs.begin(), outputs.end());
  }
  std::optional<std::vector<Value>> KnownOutputs(const PendingNode& run) override {
    if (side_ == SideId::kLeft) return std::nullopt;
    const auto number = runs_.numbers_.right.find(&run.node);
    if (number == runs_.numbers_.right.end()) return std::nullopt;
    const auto held = runs_.held_.find(number->second);
    if (held == runs_.held_.end()) return std::nullopt;
    const std::vector<Value>& outputs = held->second;
    for (size_t i = 0; i < run.node.outputs.size(); ++i) {
      const bool wanted = !run.node.outputs[i].empty();
      if (wanted && (i >= outputs.size() || outputs[i].empty())) return std::nullopt;
    }
    ++runs_.nodes_;
    return outputs;
  }
  absl::Status OnResult(const Result& /*result*/, std::optional<Value>* /*replacement*/) override {
    return absl::OkStatus();
  }

 private:
  SharedRuns& runs_;
  const SideId side_;
  int64_t held_ = 0;
};

SharedRuns::SharedRuns(Side& left, Side& right, const InputMapping& mapping,
                       FingerprintCache* fingerprints)
    : left_(left), right_(right) {
  if (!ComputeAlike({&left, &right})) return;
  const PerSide<const Graph*> graphs = {&left.evaluator()->model().graph,
                                        &right.evaluator()->model().graph};
  PerSide<std::vector<std::string>> names;
  for (const MappedInput& pair : mapping.pairs) {
    const ValueInfo* ours = FindValueInfo(graphs.left->inputs, pair.left);
    const ValueInfo* theirs = FindValueInfo(graphs.right->inputs, pair.right);
    if (ours == nullptr || theirs == nullptr || ours->type.dtype != theirs->type.dtype) continue;
    inputs_.push_back({pair.left, pair.right});
    names.left.push_back(pair.left);
    names.right.push_back(pair.right);
  }
  PerSide<std::vector<uint64_t>> all;
  PerSide<absl::flat_hash_set<uint64_t>> known;
  NodeFactsCache facts(left.evaluator()->registry());
  for (const SideId side : kBothSides) {
    all[side] = NumbersOf(*graphs[side], side, names[side], &facts, fingerprints);
    known[side].insert(all[side].begin(), all[side].end());
  }
  for (const SideId side : kBothSides) {
    for (size_t i = 0; i < all[side].size(); ++i) {
      const Node& node = graphs[side]->nodes[i];
      if (!MayBeShared(node) || !known[Other(side)].contains(all[side][i])) continue;
      numbers_[side][&node] = all[side][i];
    }
  }
}

bool SharedRuns::FeedsAreTheSame() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [&](const auto& pair) {
    const auto ours = left_.feeds()->find(pair.first);
    const auto theirs = right_.feeds()->find(pair.second);
    if (ours == left_.feeds()->end() || theirs == right_.feeds()->end()) {
      return ours == left_.feeds()->end() && theirs == right_.feeds()->end();
    }
    if (!ours->second.is_tensor() || !theirs->second.is_tensor()) return false;
    const Tensor& a = ours->second.tensor();
    const Tensor& b = theirs->second.tensor();
    return a.is_contiguous() && b.is_contiguous() && a.dtype() != DType::kString && SameBits(a, b);
  });
}

bool SharedRuns::Shares() const {
  if (numbers_.left.empty()) return false;
  return pairs_ < work_bounds::kFewTrials ? pairs_ % 2 == 0 : shared_ < whole_;
}

absl::StatusOr<std::vector<Value>> SharedRuns::RunLeft() {
  held_.clear();
  started_ = absl::Now();
  if (!Shares()) return left_.evaluator()->Run(*left_.feeds());
  Handover giver(this, SideId::kLeft);
  return left_.evaluator()->Run(*left_.feeds(), &giver);
}

absl::StatusOr<std::vector<Value>> SharedRuns::RunRight() {
  const bool taken = !held_.empty() && FeedsAreTheSame();
  Handover taker(this, SideId::kRight);
  absl::StatusOr<std::vector<Value>> outputs =
      right_.evaluator()->Run(*right_.feeds(), taken ? &taker : nullptr);
  held_.clear();
  if (pairs_ < work_bounds::kFewTrials)
    (pairs_ % 2 == 0 ? shared_ : whole_) += absl::Now() - started_;
  ++pairs_;
  return outputs;
}

}  // namespace onnxcmp

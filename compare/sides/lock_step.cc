#include "compare/sides/lock_step.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace onnxcmp {
namespace {

// Of a graph's nodes in order: the number of what each computes.
std::vector<uint64_t> NumbersOfNodes(const Side& side, NodeFactsCache* facts,
                                     FingerprintCache* fingerprints, const ThreadPool* pool) {
  const Graph& graph = side.evaluator()->model().graph;
  ComputationHashes numbers;
  for (const Initializer& initializer : graph.initializers) {
    numbers.Set(initializer.name, fingerprints->Get(initializer.value, pool).content.low);
  }
  for (const auto& [name, value] : *side.feeds()) {
    numbers.Set(name, fingerprints->Get(value, pool).content.low);
  }
  std::vector<uint64_t> of_nodes;
  of_nodes.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) of_nodes.push_back(numbers.Add(node, facts->Of(node)));
  return of_nodes;
}

}  // namespace

bool ComputeAlike(const PerSide<Side*>& sides) {
  const Evaluator* left = sides.left->evaluator();
  const Evaluator* right = sides.right->evaluator();
  if (left == nullptr || right == nullptr) return false;
  const EvaluatorOptions& ours = left->options();
  const EvaluatorOptions& theirs = right->options();
  return left->registry().IsSharedWith(right->registry()) && ours.max_memory == 0 &&
         theirs.max_memory == 0 && ours.max_steps == 0 && theirs.max_steps == 0 &&
         ours.seed == theirs.seed && ours.max_tensor == theirs.max_tensor &&
         ours.in_double == theirs.in_double && ours.expand_functions == theirs.expand_functions;
}

std::vector<int64_t> StepsOfLeftBefore(const PerSide<Side*>& sides, NodeFactsCache* facts,
                                       FingerprintCache* fingerprints, const ThreadPool* pool) {
  const std::vector<uint64_t> left = NumbersOfNodes(*sides.left, facts, fingerprints, pool);
  const std::vector<uint64_t> right = NumbersOfNodes(*sides.right, facts, fingerprints, pool);
  absl::flat_hash_map<uint64_t, int64_t> steps;  // of the left, by number
  for (size_t i = 0; i < left.size(); ++i) steps.try_emplace(left[i], static_cast<int64_t>(i) + 1);
  std::vector<int64_t> before(right.size());
  size_t from = 0;  // the first node after the last that both have
  int64_t reached = 0;
  const auto spread = [&](size_t to, int64_t step) {
    const auto between = static_cast<int64_t>(to - from) + 1;
    for (size_t k = from; k < to; ++k) {
      before[k] = reached + (step - reached) * static_cast<int64_t>(k - from + 1) / between;
    }
  };
  for (size_t k = 0; k < right.size(); ++k) {
    const auto it = steps.find(right[k]);
    if (it == steps.end()) continue;
    const int64_t step = std::max(reached, it->second);
    spread(k, step);
    before[k] = reached = step;
    from = k + 1;
  }
  spread(right.size(), static_cast<int64_t>(left.size()));
  return before;
}

void RunInLockStep(absl::FunctionRef<bool(SideId)> step, const std::vector<int64_t>& before) {
  PerSide<bool> more = {true, true};
  PerSide<int64_t> steps = {0, 0};
  while (more.left || more.right) {
    const auto next = static_cast<size_t>(steps.right);
    const bool may = next >= before.size() || steps.left >= before[next];
    const SideId side = more.right && (may || !more.left) ? SideId::kRight : SideId::kLeft;
    more[side] = step(side);
    ++steps[side];
  }
}

}  // namespace onnxcmp

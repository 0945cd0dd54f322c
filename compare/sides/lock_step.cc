#include "compare/sides/lock_step.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Requires that the left has made `left_steps` steps before a right step.
struct Anchor {
  size_t right = 0;
  int64_t left_steps = 0;
  int64_t weight = 0;  // benefit of the requirement
};

// Value numbers of a graph's nodes, in order.
std::vector<uint64_t> NumbersOfNodes(const Side& side, NodeFactsCache* facts,
                                     FingerprintCache* fingerprints, const ThreadPool* pool) {
  const Graph& graph = side.evaluator()->model().graph;
  ComputationHashes numbers;
  numbers.Expect(graph.initializers.size() + side.feeds()->size() + graph.nodes.size());
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

// The name by which other nodes read a node.
absl::string_view NameOfFirstOutput(const Node& node) {
  const auto first = std::find_if(node.outputs.begin(), node.outputs.end(),
                                  [](const std::string& output) { return !output.empty(); });
  return first == node.outputs.end() ? absl::string_view() : absl::string_view(*first);
}

// By node of the right: the left step whose output has the same name, 0 if there is none.
std::vector<int64_t> StepsByName(const Graph& left, const Graph& right) {
  absl::flat_hash_map<absl::string_view, int64_t> steps;
  steps.reserve(left.nodes.size());
  for (size_t i = 0; i < left.nodes.size(); ++i) {
    steps.try_emplace(NameOfFirstOutput(left.nodes[i]), static_cast<int64_t>(i) + 1);
  }
  steps.erase("");
  std::vector<int64_t> found(right.nodes.size(), 0);
  for (size_t k = 0; k < found.size(); ++k) {
    const auto it = steps.find(NameOfFirstOutput(right.nodes[k]));
    if (it != steps.end()) found[k] = it->second;
  }
  return found;
}

// Approximate time and memory of a node relative to others: views take almost none.
int64_t WeightOf(const Node& node) {
  if (HasTrait(node, OperatorTrait::kRearranges)) return 1;
  return HasTrait(node, OperatorTrait::kProducts) ? 8 : 4;
}

// The subset of anchors, in the right's order, that ascends on the left too and has the greatest
// total weight.
std::vector<Anchor> HeaviestAscent(const std::vector<Anchor>& anchors, int64_t left_steps) {
  constexpr size_t kNoAnchor = static_cast<size_t>(-1);
  struct Ascent {
    int64_t weight = 0;
    size_t last = kNoAnchor;
  };
  // A Fenwick tree of the heaviest ascents, keyed by their last step on the left.
  std::vector<Ascent> heaviest(static_cast<size_t>(left_steps) + 1);
  const auto heaviest_up_to = [&](int64_t steps) {
    Ascent found;
    for (; steps > 0; steps -= steps & -steps) {
      const Ascent& ascent = heaviest[static_cast<size_t>(steps)];
      if (ascent.weight > found.weight) found = ascent;
    }
    return found;
  };
  std::vector<size_t> before(anchors.size());
  for (size_t i = 0; i < anchors.size(); ++i) {
    const Ascent longest = heaviest_up_to(anchors[i].left_steps - 1);
    before[i] = longest.last;
    const Ascent with = {longest.weight + anchors[i].weight, i};
    for (int64_t steps = anchors[i].left_steps; steps <= left_steps; steps += steps & -steps) {
      Ascent& ascent = heaviest[static_cast<size_t>(steps)];
      if (with.weight > ascent.weight) ascent = with;
    }
  }
  std::vector<Anchor> ascent;
  for (size_t i = heaviest_up_to(left_steps).last; i != kNoAnchor; i = before[i]) {
    ascent.push_back(anchors[i]);
  }
  std::reverse(ascent.begin(), ascent.end());
  return ascent;
}

// By step of the right. `alike`: the left step of its counterpart, 0 if there is none.
std::vector<int64_t> StepsOfLeftBefore(const std::vector<int64_t>& alike, const Graph& right,
                                       int64_t left_steps) {
  std::vector<Anchor> anchors;
  for (size_t k = 0; k < alike.size(); ++k) {
    if (alike[k] > 0) anchors.push_back({k, alike[k], WeightOf(right.nodes[k])});
  }
  // A node that one model has at another place would delay all nodes between.
  anchors = HeaviestAscent(anchors, left_steps);
  anchors.push_back({alike.size(), left_steps});
  std::vector<int64_t> before(alike.size() + 1);
  size_t from = 0;  // the first step after the last anchor
  int64_t reached = 0;
  for (const Anchor& to : anchors) {
    const auto between = static_cast<int64_t>(to.right - from) + 1;
    for (size_t k = from; k <= to.right; ++k) {
      before[k] =
          reached + (to.left_steps - reached) * static_cast<int64_t>(k - from + 1) / between;
    }
    from = to.right + 1;
    reached = to.left_steps;
  }
  before.pop_back();
  return before;
}

}  // namespace

bool ComputeAlike(const PerSide<Side*>& sides) {
  const Evaluator* left = sides.left->evaluator();
  const Evaluator* right = sides.right->evaluator();
  if (left == nullptr || right == nullptr) return false;
  if (sides.left->node_runner() != nullptr || sides.right->node_runner() != nullptr) return false;
  const EvaluatorOptions& ours = left->options();
  const EvaluatorOptions& theirs = right->options();
  const auto is_limited = [](const EvaluatorOptions& options) {
    return options.memory != nullptr || options.max_memory != 0 || options.max_steps != 0;
  };
  return left->registry().IsSharedWith(right->registry()) && !is_limited(ours) &&
         !is_limited(theirs) && ours.seed == theirs.seed && ours.max_tensor == theirs.max_tensor &&
         ours.in_double == theirs.in_double && ours.expand_functions == theirs.expand_functions;
}

LockStep PlanLockStep(const PerSide<Side*>& sides, NodeFactsCache* facts,
                      FingerprintCache* fingerprints, const ThreadPool* pool) {
  const Graph& left = sides.left->evaluator()->model().graph;
  const Graph& right = sides.right->evaluator()->model().graph;
  absl::flat_hash_map<uint64_t, int64_t> steps;  // the left's steps, by value number
  steps.reserve(left.nodes.size());
  int64_t left_steps = 0;
  for (const uint64_t number : NumbersOfNodes(*sides.left, facts, fingerprints, pool)) {
    steps.try_emplace(number, ++left_steps);
  }
  std::vector<int64_t> alike = StepsByName(left, right);
  size_t k = 0;
  for (const uint64_t number : NumbersOfNodes(*sides.right, facts, fingerprints, pool)) {
    const auto it = steps.find(number);
    if (it != steps.end()) alike[k] = it->second;
    ++k;
  }
  LockStep plan;
  plan.left_before = StepsOfLeftBefore(alike, right, left_steps);
  for (k = 0; k < alike.size(); ++k) {
    if (alike[k] == 0 || alike[k] == plan.left_before[k]) continue;
    const Node& ours = left.nodes[static_cast<size_t>(alike[k]) - 1];
    const Node& theirs = right.nodes[k];
    if (facts->Of(ours).operation == facts->Of(theirs).operation) plan.meetings.Add(ours, theirs);
  }
  return plan;
}

void RunInLockStep(absl::FunctionRef<bool(SideId)> step, const std::vector<int64_t>& left_before) {
  PerSide<bool> more = {true, true};
  PerSide<int64_t> steps = {0, 0};
  while (more.left || more.right) {
    const auto next = static_cast<size_t>(steps.right);
    const bool may = next >= left_before.size() || steps.left >= left_before[next];
    const SideId side = more.right && (may || !more.left) ? SideId::kRight : SideId::kLeft;
    more[side] = step(side);
    ++steps[side];
  }
}

}  // namespace onnxcmp

#include "compare/causes/cause_refinement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "record/differences/tensor_distance.h"
#include "record/graphs/region.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {

namespace {

std::vector<int> WithoutCopies(const SideGraph& graph, const Region& region) {
  std::vector<int> nodes;
  for (const int n : region.nodes) {
    if (!HasTrait(*graph.node(n).made, OperatorTrait::kCopies)) nodes.push_back(n);
  }
  return nodes;
}

// Picks one of several left results with equal bits, one made of the other: the right's aligned
// partner if it is among them; else the partner of an input of the right's node, or its reader.
int ComputedPartner(const ForcedRun& run, const ForcedState& state, int right) {
  const ValueClasses& left = run.left();
  const int c = state.at(right).match;
  const auto is_member = [&](int l) { return l != kNone && left.of(l) == c; };
  if (is_member(run.aligned(right))) return run.aligned(right);
  const int n = run.right().producer(right);
  const SideGraph::GraphNode& node = run.right().node(n);
  for (const int read : run.right().Reads(n)) {
    const int before = run.aligned(read);
    if (!is_member(before)) continue;
    // A left reader of that partner, unless another right result is aligned with it.
    const std::vector<int>& results = run.right().results();
    for (const int l : left.graph().After(before)) {
      const auto is_it = [&](int r) { return r != right && run.aligned(r) == l; };
      if (is_member(l) && std::none_of(results.begin(), results.end(), is_it)) return l;
    }
    return before;
  }
  for (const int l : left.members(c)) {
    const int made_by = left.graph().producer(l);
    if (made_by != kNone && left.graph().node(made_by).made->op_type == node.made->op_type)
      return l;
  }
  return left.representative(c);
}

// The left result that a report names beside a matched right one. Among constants of the same bits
// it is the one in the place of the right's.
int Partner(const ForcedRun& run, const ForcedState& state, int right) {
  const ValueClasses& left = run.left();
  const int c = state.at(right).match;
  int partner = left.representative(c);
  if (run.right().IsComputed(right)) return ComputedPartner(run, state, right);
  if (!run.right().IsConstant(right)) return partner;
  // True if a left node reads `l` where the right's node reads the right's constant, and gives the
  // same.
  const auto is_read_alike = [&](int l, int n) {
    const StreamNode& made = *run.right().node(n).made;
    for (const int q : left.graph().readers(l)) {
      const StreamNode& other = *left.graph().node(q).made;
      if (other.op_type != made.op_type || other.outputs.empty() || made.outputs.empty() ||
          made.outputs[0] == kNone ||
          left.of(other.outputs[0]) != state.at(made.outputs[0]).match) {
        continue;
      }
      for (size_t i = 0; i < made.inputs.size() && i < other.inputs.size(); ++i) {
        if (made.inputs[i] == right && other.inputs[i] == l) return true;
      }
    }
    return false;
  };
  bool found = false;
  for (const int l : left.members(c)) {
    if (!left.graph().IsConstant(l)) continue;
    if (!std::exchange(found, true)) partner = l;
    const std::vector<int>& readers = run.right().readers(right);
    if (std::any_of(readers.begin(), readers.end(), [&](int n) { return is_read_alike(l, n); })) {
      return l;
    }
  }
  return partner;
}

// True if a node passes the elements of its first input on, reordered at most.
bool ReordersInput(const StreamNode& made) {
  return HasTrait(made, OperatorTrait::kReorders) && !made.inputs.empty() &&
         made.inputs.front() != kNone;
}

// The result before nodes that only reorder elements, if its elements differ from the left's: an
// optimizer has moved a layout there, and the node that computed them is at fault.
int BeforeReordering(const ForcedRun& run, const ForcedState& state, int right) {
  const ForcedResult& result = state.at(right);
  const int l = run.left().representative(result.match);
  const int producer = run.left().graph().producer(l);
  if (producer == kNone || ReordersInput(*run.left().graph().node(producer).made)) return right;
  const auto is_reordered = [&](int r) {
    return ReordersInput(*run.right().node(run.right().producer(r)).made);
  };
  // Sorting the elements takes longer than most regions run.
  if (!is_reordered(right)) return right;
  if (!IsMeasurable(result.own) || !IsMeasurable(result.held)) return right;
  std::vector<double> ours = ElementsOf(result.held.tensor());
  std::vector<double> theirs = ElementsOf(result.own.tensor());
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  if (ours == theirs) return right;
  while (is_reordered(right)) {
    const int before = run.right().node(run.right().producer(right)).made->inputs.front();
    if (!run.right().IsComputed(before) || state.at(before).match != kNone) break;
    right = before;
  }
  return right;
}

// The only node of an operator in a region; kNone if there is none, or several.
int OnlyOne(const SideGraph& graph, const std::vector<int>& nodes, const StreamNode& like) {
  int found = kNone;
  for (const int n : nodes) {
    const StreamNode& made = *graph.node(n).made;
    if (made.op_type != like.op_type || made.domain != like.domain) continue;
    if (found != kNone) return kNone;
    found = n;
  }
  return found;
}

// The node of a region that selects elements by other indices than the left's, in whatever layout,
// if the region gives the left's result with the left's indices. Then nothing else in the region is
// at fault.
std::pair<int, int> OtherSelection(const ForcedRun& run, const ForcedState& state,
                                   const RegionNoise& noise, int right) {
  const std::pair<int, int> none = {kNone, kNone};
  const SideGraph& left = run.left().graph();
  const SideGraph& graph = run.right();
  const int c = state.at(right).match;
  const Region theirs = noise.RightRegion(right);
  const Region ours = noise.LeftRegion(c);
  if (theirs.nodes.size() < 2) return none;
  for (const int n : theirs.nodes) {
    const StreamNode& made = *graph.node(n).made;
    if (!HasTrait(made, OperatorTrait::kOneDataInput) ||
        HasTrait(made, OperatorTrait::kRearranges) || OnlyOne(graph, theirs.nodes, made) != n) {
      continue;
    }
    const int m = OnlyOne(left, ours.nodes, made);
    if (m == kNone) continue;
    const StreamNode& other = *left.node(m).made;
    for (size_t i = 1; i < std::min(made.inputs.size(), other.inputs.size()); ++i) {
      const int r = made.inputs[i];
      const int l = other.inputs[i];
      if (r == kNone || l == kNone || !graph.IsConstant(r) || !left.IsConstant(l)) continue;
      const Value& wanted = run.left().value_of(l);
      if (state.at(r).match == run.left().of(l) || wanted.empty() || state.at(r).held.empty() ||
          wanted.TypeString() != state.at(r).held.TypeString()) {
        continue;
      }
      const Value given = RunRegion(graph, theirs, right, [&](int read) -> const Value& {
        return read == r ? wanted : state.at(read).held;
      });
      LazyMeasured measured;
      if (IsMeasurable(given) && run.IsNear(c, given, &measured)) {
        return {other.outputs.front(), made.outputs.front()};
      }
    }
  }
  return none;
}

// True if a node of a region reads another matched result than the left's node in its place.
bool ReadsOthers(const ForcedRun& run, const ForcedState& state, const StreamNode& made,
                 const StreamNode& other) {
  if (HasTrait(made, OperatorTrait::kCommutative)) return false;
  for (size_t k = 0; k < made.inputs.size(); ++k) {
    const int r = made.inputs[k];
    const int l = other.inputs[k];
    if (r == kNone || l == kNone) {
      if (r != l) return true;
      continue;
    }
    const int match = state.at(r).match;
    if (run.right().IsComputed(r) && match != kNone && run.left().of(l) != kNone &&
        match != run.left().of(l)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::pair<int, int> Refined(const ForcedRun& run, const ForcedState& state,
                            const RegionNoise& noise, int right) {
  const ValueClasses& left = run.left();
  const int c = state.at(right).match;
  std::pair<int, int> pair = {Partner(run, state, right), right};
  if (!run.right().IsComputed(right) || !left.computed(c)) return pair;
  pair.second = BeforeReordering(run, state, right);
  if (const auto other = OtherSelection(run, state, noise, right); other.second != kNone) {
    return other;
  }
  const std::vector<int> theirs = WithoutCopies(run.right(), noise.RightRegion(right));
  const std::vector<int> ours = WithoutCopies(left.graph(), noise.LeftRegion(c));
  if (theirs.empty() || theirs.size() != ours.size()) return pair;
  std::vector<std::pair<int, int>> found;
  for (size_t i = 0; i < theirs.size(); ++i) {
    const StreamNode& made = *run.right().node(theirs[i]).made;
    const StreamNode& other = *left.graph().node(ours[i]).made;
    if (made.op_type != other.op_type || made.domain != other.domain ||
        made.outputs.size() != other.outputs.size()) {
      return pair;
    }
    if (made.attributes != other.attributes || made.inputs.size() != other.inputs.size() ||
        ReadsOthers(run, state, made, other)) {
      found.emplace_back(other.outputs.front(), made.outputs.front());
      continue;
    }
    for (size_t k = 0; k < made.inputs.size(); ++k) {
      const int r = made.inputs[k];
      const int l = other.inputs[k];
      if (r == kNone || l == kNone) continue;
      if (!run.right().IsConstant(r)) {
        // A node that reads another result is at fault itself.
        if (theirs.size() == 1 && state.at(r).match != left.of(l)) return pair;
        continue;
      }
      if (state.at(r).match != kNone || !left.graph().IsConstant(l)) continue;
      if (left.graph().result(l).fingerprint.content != run.right().result(r).fingerprint.content) {
        found.emplace_back(l, r);
      }
    }
  }
  return found.size() == 1 && found[0].first != kNone && found[0].second != kNone ? found[0] : pair;
}

}  // namespace onnxcmp

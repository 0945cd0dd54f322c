// Matches by structure: the result of the same operator on the same inputs as the partner of a
// right node's result.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/node_inputs.h"
#include "record/base/work_bounds.h"
#include "record/differences/infinity.h"
#include "record/streams/fingerprint.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
bool ForcedRun::IsFlattened(int c, int right) const {
  const std::optional<Shape>& theirs = right_.result(right).shape;
  const std::optional<Shape>& ours = left_.result(c).shape;
  return theirs.has_value() && ours.has_value() && theirs->size() != ours->size() &&
         std::min(theirs->size(), ours->size()) == 2 && theirs->back() == ours->back() &&
         left_.result(c).fingerprint.size == right_.result(right).fingerprint.size;
}

int ForcedRun::WidenedFrom(int n, int r, const ForcedState& state) const {
  const StreamNode& made = *right_.node(n).made;
  if (made.op_type != "Cast" || made.inputs.empty() || made.inputs.front() == kNone) return kNone;
  const DType from = right_.result(made.inputs.front()).dtype;
  const DType to = right_.result(r).dtype;
  if (!IsFloatingPoint(from) || !IsFloatingPoint(to) || BitWidth(from) < 16 ||
      EpsilonOf(from) <= EpsilonOf(to)) {
    return kNone;
  }
  const int read = made.inputs.front();
  const int c = state.at(read).match;
  if (c == kNone || !NameAllows(r, c) || !HasShapeOf(c, r)) return kNone;
  // A computed result that is cast to the coarser type and back has made a detour.
  const int lowering = right_.producer(read);
  if (lowering != kNone && right_.node(lowering).made->op_type == "Cast") {
    for (const int wide : right_.Reads(lowering)) {
      if (right_.IsComputed(wide) && right_.result(wide).dtype == to && state.at(wide).match == c) {
        return kNone;
      }
    }
  }
  return c;
}

void ForcedRun::AddNodesLike(int n, int c, absl::flat_hash_set<int>* seen,
                             std::vector<int>* nodes) const {
  const StreamNode& made = *right_.node(n).made;
  for (const int member : left_.members(c)) {
    for (const int q : left_.graph().readers(member)) {
      const StreamNode& other = *left_.graph().node(q).made;
      if (other.op_type == made.op_type && other.domain == made.domain && seen->insert(q).second) {
        nodes->push_back(q);
      }
    }
  }
}

const std::vector<int>& ForcedRun::KindsOfReaders(int c, const StreamNode& like) const {
  const auto key = [c](const StreamNode& node) {
    return std::tuple(c, HashOfText(node.domain).low, HashOfText(node.op_type).low);
  };
  if (listed_readers_.insert(c).second) {
    const auto add_classes = [this](const FewResults& results, std::vector<int>* classes) {
      for (const int r : results) classes->push_back(r == kNone ? kNone : left_.of(r));
      classes->push_back(kNone);
    };
    absl::flat_hash_set<std::tuple<uint64_t, uint64_t, std::vector<int>>> seen;
    for (const int member : left_.members(c)) {
      for (const int q : left_.graph().readers(member)) {
        const StreamNode& made = *left_.graph().node(q).made;
        const auto kind = key(made);
        std::vector<int>& nodes = kinds_of_readers_[kind];
        if (nodes.size() == work_bounds::kManyCandidates) continue;
        std::vector<int> classes;
        add_classes(made.inputs, &classes);
        add_classes(made.outputs, &classes);
        if (seen.emplace(std::get<1>(kind), std::get<2>(kind), std::move(classes)).second) {
          nodes.push_back(q);
        }
      }
    }
  }
  return kinds_of_readers_[key(like)];
}

std::vector<int> ForcedRun::NodesLike(const ForcedState& state, int n) const {
  std::vector<int> nodes;
  absl::flat_hash_set<int> seen;
  for (const int read : right_.Reads(n)) {
    const int c = state.at(read).match;
    if (c == kNone) continue;
    for (const int q : KindsOfReaders(c, *right_.node(n).made)) {
      if (seen.insert(q).second) nodes.push_back(q);
    }
  }
  return nodes;
}

size_t ForcedRun::CostOfReaders(int c, size_t most) const {
  size_t cost = 0;
  for (const int member : left_.members(c)) {
    cost += 1 + left_.graph().readers(member).size();
    if (cost >= most) return most;
  }
  return cost;
}

std::vector<int> ForcedRun::MakersLike(int n, absl::Span<const int> classes, int read) const {
  const StreamNode& made = *right_.node(n).made;
  std::vector<int> nodes;
  absl::flat_hash_set<int> seen;
  for (const int c : classes) {
    for (const int member : left_.members(c)) {
      const int q = left_.graph().producer(member);
      if (q == kNone) continue;
      const StreamNode& other = *left_.graph().node(q).made;
      if (other.op_type == made.op_type && other.domain == made.domain &&
          absl::c_any_of(left_.graph().Reads(q), [&](int r) { return left_.of(r) == read; }) &&
          seen.insert(q).second) {
        nodes.push_back(q);
      }
    }
  }
  return nodes;
}

std::vector<int> ForcedRun::NodesOnSame(const ForcedState& state, int n, const ForcedResult& result,
                                        LazyMeasured* measured) const {
  // No left node reads an unmatched input; only a constant may differ.
  const StreamNode& made = *right_.node(n).made;
  std::vector<int> matches;
  bool open = false;
  for (const int read : made.inputs) {
    if (read == kNone) continue;
    matches.push_back(state.at(read).match);
    if (matches.back() != kNone) continue;
    if (!right_.IsConstant(read)) return {};
    open = true;
  }
  // In the order of the first input's match, which all of them read.
  const auto in_order = [&](std::vector<int> nodes, int first) {
    const auto first_member = [&](int q) {
      int least = std::numeric_limits<int>::max();
      for (const int read : left_.graph().Reads(q)) {
        if (left_.of(read) == first) least = std::min(least, read);
      }
      return least;
    };
    absl::c_sort(nodes, [&](int a, int b) {
      return std::pair(first_member(a), a) < std::pair(first_member(b), b);
    });
    return nodes;
  };
  if (!open && !matches.empty() && right_.node(n).captures.empty()) {
    const int first = matches.front();
    return in_order(left_.NodesOn(made, std::move(matches)), first);
  }
  int first = kNone;
  int fewest = kNone;
  size_t least = std::numeric_limits<size_t>::max();
  for (const int read : right_.Reads(n)) {
    const int c = state.at(read).match;
    if (c == kNone) continue;
    if (first == kNone) first = c;
    if (const size_t cost = CostOfReaders(c, least); fewest == kNone || cost < least) {
      least = cost;
      fewest = c;
    }
  }
  if (fewest == kNone) return {};
  const Tensor* own = IsMeasurable(result.own) ? &result.own.tensor() : nullptr;
  if (least > work_bounds::kCandidates && own != nullptr && EpsilonOf(own->dtype()) > 0) {
    // If all nodes of a kind read a value, each would examine all of them.
    std::vector<int> near;
    for (const Shape& shape : left_.shapes_of(own->num_elements())) {
      absl::c_copy(MayBeNearOf(shape, *own, measured), std::back_inserter(near));
    }
    return in_order(MakersLike(n, near, fewest), first);
  }
  std::vector<int> nodes;
  absl::flat_hash_set<int> seen;
  AddNodesLike(n, fewest, &seen, &nodes);
  return fewest == first ? nodes : in_order(std::move(nodes), first);
}

std::optional<ForcedRun::OpenConstants> ForcedRun::Agree(const ForcedState& state, int n,
                                                         int left_node) const {
  OpenConstants open;
  for (const InputPair& pair : PairInputs(*this, state, left_node, n)) {
    if (pair.equal) continue;
    if (pair.left == kNone || pair.right == kNone) return std::nullopt;
    const int c = left_.of(pair.left);
    if (state.at(pair.right).match != kNone || c == kNone || !right_.IsConstant(pair.right) ||
        !left_.constant(c)) {
      return std::nullopt;
    }
    open.emplace_back(pair.right, c);
  }
  return open;
}

Hash128 ForcedRun::HashOfStructure(int n, int r, double farthest, const ForcedState& state) const {
  const StreamNode& made = *right_.node(n).made;
  absl::InlinedVector<uint64_t, 24> words = {HashOfText(made.domain).low,
                                             HashOfText(made.op_type).low,
                                             static_cast<uint64_t>(right_.result(r).slot),
                                             std::bit_cast<uint64_t>(farthest),
                                             state.at(r).own_content.low,
                                             state.at(r).own_content.high,
                                             made.inputs.size()};
  for (const int read : made.inputs) {
    words.push_back(static_cast<uint64_t>(read));
    words.push_back(static_cast<uint64_t>(read == kNone ? kNone : state.at(read).match));
  }
  for (const int read : right_.node(n).captures) {
    words.push_back(static_cast<uint64_t>(state.at(read).match));
  }
  return HashOf(absl::MakeConstSpan(words));
}

bool ForcedRun::TryStructure(int n, int r, double farthest, LazyMeasured* measured,
                             ForcedState* state) const {
  const StreamResult& known = right_.result(r);
  // Nodes with the same computation, and every trial, would try the same left nodes.
  const Hash128 question = HashOfStructure(n, r, farthest, *state);
  if (without_structure_.contains(question)) return false;
  int nearest = kNone;
  double least = farthest;
  OpenConstants open;
  for (const int q : NodesOnSame(*state, n, state->at(r), measured)) {
    ++looked_at_;
    const FewResults& outputs = left_.graph().node(q).made->outputs;
    if (Index(known.slot) >= outputs.size()) continue;
    const int c = left_.of(outputs[Index(known.slot)]);
    // Most are not near, which is found sooner than whether their inputs agree.
    if (c == kNone || !MayBeNear(c, state->at(r).own, measured)) continue;
    std::optional<OpenConstants> constants = Agree(*state, n, q);
    if (!constants.has_value()) continue;
    const double distance = DistanceIfNear(c, state->at(r), measured);
    if (distance < kInfinity && distance <= least) {
      least = distance;
      nearest = c;
      open = *std::move(constants);
    }
  }
  if (nearest == kNone) {
    without_structure_.insert(question);
    return false;
  }
  Set(r, nearest, MatchRule::kStructure, state);
  if (!open.empty()) PairConstants(n, r, nearest, open, state);
  return true;
}

bool ForcedRun::PairConstants(int n, int r, int c, const std::vector<std::pair<int, int>>& open,
                              ForcedState* state) const {
  std::vector<ForcedResult> before;
  const int matched = state->matched;
  for (const auto& [constant, left] : open) {
    before.push_back(state->at(constant));
    Set(constant, left, MatchRule::kStructure, state);
  }
  const absl::StatusOr<std::vector<Value>> outputs = Compute(*state, n);
  const auto slot = static_cast<size_t>(right_.result(r).slot);
  LazyMeasured measured;
  // Otherwise the node compensates for the other constant: a transposition, a folded factor. A
  // shape constant that leads to another shape is a different one.
  const auto right_shape = [&](const Value& value) {
    return !value.is_tensor() || value.tensor().shape() == right_.result(r).shape;
  };
  const bool fits = outputs.ok() && slot < outputs->size() && !(*outputs)[slot].empty() &&
                    right_shape((*outputs)[slot]) && absl::c_all_of(open, [&](const auto& pair) {
                      return state->at(pair.first).match == pair.second;
                    });
  if (fits) {
    const Hash128 content = ContentOf((*outputs)[slot], left_.pool());
    ForcedResult& result = state->results[Index(r)];
    if (content == result.held_content || IsNear(c, (*outputs)[slot], &measured)) {
      // Its reader must not be blamed as well as the constant.
      result.own = content == result.held_content ? Value() : (*outputs)[slot];
      result.own_content = content;
      state->keys[Index(n)] = KeyOf(n, *state);
      return true;
    }
  }
  for (size_t i = 0; i < open.size(); ++i) {
    state->results[static_cast<size_t>(open[i].first)] = std::move(before[i]);
  }
  state->matched = matched;
  return false;
}

}  // namespace onnxcmp

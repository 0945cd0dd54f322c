// Suggests pairs that may be at fault although all results after them agree.
#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "compare/causes/repair/claims.h"
#include "compare/causes/repair/constant_similarity.h"
#include "compare/causes/repair/constant_suggestions.h"
#include "compare/causes/repair/repair_suggestions.h"
#include "compare/causes/repair/suggestion_collector.h"

namespace onnxcmp {

struct Suggester::LeftOvers {
  const ForcedState& state;
  std::vector<bool> innocents;  // by right result: InnocentConstants()
  Claims claims;

  bool IsFree(int c) const { return c != kNone && !claims.IsTaken(c); }
  // A repair's match is certain.
  bool IsContested(int r) const {
    return !state.fixed.contains(r) && claims.IsContested(state.at(r).match);
  }
};

// True if no right result matches a computed left class, and a right result is far from it.
bool Suggester::IsLost(const LeftOvers& open, int r, int c, LazyMeasured* measured) const {
  if (!open.IsFree(c) || !run_.left().computed(c)) return false;
  // A mask makes a value large, with any number of its type.
  const StreamResult& ours = run_.left().result(c);
  const StreamResult& theirs = run_.right().result(r);
  const double rounding = ours.dtype == theirs.dtype ? 1e-3 : 3e-2;
  if (SquashedSketchDistance(ours.fingerprint, theirs.fingerprint) <= rounding) return false;
  // Quantization may change numbers much.
  if (IsInteger(ours.precision) || IsInteger(theirs.precision)) return false;
  const ForcedResult& result = open.state.at(r);
  const Value& own = result.own.empty() ? result.held : result.own;
  return IsMeasurable(own) && !run_.IsNear(c, own, measured);
}

// Suggests the other constant of a node that resembles one of the left's.
void Suggester::SuggestForConstant(const LeftOvers& open, int r, Collector* collector) const {
  const ValueClasses& left = run_.left();
  const ForcedResult& result = open.state.at(r);
  const bool contested = open.IsContested(r);
  const bool must_tell = open.innocents[Index(r)] || contested;
  const Value& own = result.own.empty() ? result.held : result.own;
  if (must_tell && (!IsMeasurable(own) || !Tells(own.tensor()))) return;
  LazyMeasured measured;
  for (const int reader : run_.right().readers(r)) {
    // It gives the expected result.
    if (contested && absl::c_none_of(run_.right().node(reader).made->outputs, [&](int output) {
          return output != kNone &&
                 (open.state.at(output).match == kNone || open.IsContested(output));
        })) {
      continue;
    }
    for (const InputOverlap& similarity : Like(open.state, reader)) {
      if (similarity.differing.right != r) continue;
      const int c = left.of(similarity.differing.left);
      if (!open.IsFree(c) || !left.constant(c)) continue;
      if (must_tell && run_.IsNear(c, own, &measured)) continue;
      collector->Add(r, c, similarity.share);
    }
  }
}

// Suggests the only input in which a node differs from a similar left node.
void Suggester::SuggestReadInstead(const LeftOvers& open, const InputOverlap& similarity,
                                   Collector* collector) const {
  const int r = similarity.differing.right;
  const int c = run_.left().of(similarity.differing.left);
  LazyMeasured measured;
  if (r == kNone || !run_.right().IsComputed(r) || !open.IsContested(r)) return;
  if (IsLost(open, r, c, &measured)) collector->Add(r, c, similarity.share);
}

void Suggester::SuggestForComputed(const LeftOvers& open, int r, Collector* collector) const {
  const SideGraph& right = run_.right();
  const ValueClasses& left = run_.left();
  const ForcedResult& result = open.state.at(r);
  const int n = right.producer(r);
  const auto slot = static_cast<size_t>(right.result(r).slot);
  const bool contested = result.match != kNone;
  LazyMeasured measured;
  for (const InputOverlap& similarity : Like(open.state, n)) {
    if (!contested) SuggestReadInstead(open, similarity, collector);
    const StreamNode& other = *left.graph().node(similarity.node).made;
    if (slot >= other.outputs.size()) continue;
    const int c = left.of(other.outputs[slot]);
    if (contested ? IsLost(open, r, c, &measured) : open.IsFree(c)) {
      collector->Add(r, c, similarity.reordered ? 1 : similarity.share);
    }
  }
  if (contested || !IsMeasurable(result.own)) return;
  const Measured own = Measure(result.own.tensor(), left.pool());
  for (const int c :
       left.MayBeWithin(result.own.tensor().shape(), own.sample, own.scale, kLittle)) {
    if (!open.IsFree(c) || !left.computed(c) || !Fits(r, c)) continue;
    if (LittleApart(left.measured(c), own)) collector->Add(r, c, 1);
  }
  // A node that should pass on its input.
  for (const int read : right.Reads(n)) {
    const int c = open.state.at(read).match;
    if (c == kNone || !Fits(r, c) || !IsMeasurable(left.value(c))) continue;
    if (LittleApart(left.measured(c), own)) collector->Add(r, c, 1);
  }
}

// Suggests the aligned or tentative pair of similar nodes whose inputs all have a match: the first
// whose result differs.
void Suggester::SuggestHinted(const LeftOvers& open, Collector* collector) const {
  // Still a pair: no gain is needed.
  constexpr double kOfPair = 0.99;
  constexpr double kTakenBack = 0.9;
  const SideGraph& right = run_.right();
  const SideGraph& left = run_.left().graph();
  for (const auto& [r, l] : hints_) {
    const int c = run_.left().of(l);
    const int n = right.producer(r);
    const int q = left.producer(l);
    const ForcedResult& result = open.state.at(r);
    if (n == kNone || q == kNone || result.match == c || open.state.fixed.contains(r)) continue;
    const StreamNode& ours = *left.node(q).made;
    const StreamNode& theirs = *right.node(n).made;
    if (ours.op_type != theirs.op_type || ours.domain != theirs.domain ||
        ours.attributes != theirs.attributes) {
      continue;
    }
    const bool begins = absl::c_all_of(right.Reads(n), [&](int read) {
      return right.IsConstant(read) || open.state.at(read).match != kNone;
    });
    LazyMeasured measured;
    if (!begins || !IsLost(open, r, c, &measured) || FlowsIntoFixed(open.state, r)) continue;
    collector->Add(r, c, run_.aligned(r) == l ? kOfPair : kTakenBack);
  }
}

bool Suggester::FlowsIntoFixed(const ForcedState& state, int r) const {
  bool flows = false;
  run_.right().ReachAfter({r}, [&](int after) {
    flows = flows || state.at(after).rule == MatchRule::kFixed;
    return !flows && state.at(after).match == kNone;
  });
  return flows;
}

std::vector<Suggestion> Suggester::ForLeftOvers(const ForcedState& state) const {
  const SideGraph& right = run_.right();
  Collector collector(*this, state);
  const LeftOvers open = {state, InnocentConstants(run_, state), Claims(run_, state)};
  collector.AddConstants(right.results(), open.innocents);
  for (const int r : right.results()) {
    if (state.at(r).match != kNone && !open.IsContested(r)) continue;
    if (right.IsConstant(r)) {
      SuggestForConstant(open, r, &collector);
    } else if (right.producer(r) != kNone) {
      SuggestForComputed(open, r, &collector);
    }
  }
  SuggestHinted(open, &collector);
  return collector.Take();
}

}  // namespace onnxcmp

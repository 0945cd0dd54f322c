#include "compare/causes/repair/repair_suggestions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/causes/repair/constant_similarity.h"
#include "compare/causes/repair/suggestion_collector.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Evidence for a node that passes on its input: that it might, and that it nearly does.
constexpr double kHandsOn = 0.1;
constexpr double kResembles = 0.6;

}  // namespace

absl::btree_map<int, int> OutputCounterparts(const ValueClasses& left, const SideGraph& right) {
  absl::btree_map<int, int> counterparts;
  const auto& ours = left.graph().outputs();
  const auto& theirs = right.outputs();
  const auto pair = [&](size_t l, size_t r) {
    const int c = left.of(ours[l].second);
    if (c != kNone && theirs[r].second != kNone) counterparts[theirs[r].second] = c;
  };
  std::vector<bool> taken(ours.size());
  std::vector<size_t> open;
  for (size_t r = 0; r < theirs.size(); ++r) {
    size_t l = 0;
    while (l < ours.size() &&
           left.graph().result(ours[l].first).name != right.result(theirs[r].first).name) {
      ++l;
    }
    if (l == ours.size()) {
      open.push_back(r);
    } else {
      taken[l] = true;
      pair(l, r);
    }
  }
  size_t l = 0;
  for (const size_t r : open) {
    while (l < ours.size() && taken[l]) ++l;
    if (l == ours.size()) break;
    taken[l] = true;
    pair(l, r);
  }
  return counterparts;
}

Suggester::Suggester(const ForcedRun& run, std::vector<std::pair<int, int>> hints,
                     int64_t constant_looks)
    : run_(run),
      hints_(std::move(hints)),
      counterparts_(OutputCounterparts(run.left(), run.right())),
      constants_(run, constant_looks) {}

bool Suggester::Fits(int right, int c) const {
  const StreamResult& theirs = run_.right().result(right);
  const StreamResult& ours = run_.left().result(c);
  if (!theirs.shape.has_value()) return false;
  // Optimizers write constants with more or fewer axes of one element.
  const bool constants = run_.right().IsConstant(right) && run_.left().constant(c);
  const bool flattened = run_.right().IsComputed(right) && run_.IsFlattened(c, right);
  if (theirs.shape != ours.shape && !(constants && run_.HasShapeOf(c, right)) && !flattened) {
    return false;
  }
  return FitsInItsShape(right, c);
}

bool Suggester::FitsInItsShape(int right, int c) const {
  const StreamResult& theirs = run_.right().result(right);
  const StreamResult& ours = run_.left().result(c);
  if (!theirs.shape.has_value() || !ours.shape.has_value()) return false;
  if (theirs.dtype != ours.dtype && !SameKindOfNumber(theirs.dtype, ours.dtype)) return false;
  if (!run_.NameAllows(right, c)) return false;
  const auto counterpart = counterparts_.find(right);
  return counterpart == counterparts_.end() || counterpart->second == c;
}

// True if a node passes on what its left partner changes, since the other operand is wrong: a
// factor that became 1, a summand that became 0. That it has the bits of a left result proves
// nothing.
bool Suggester::HasLostFactor(const ForcedState& state, int r) const {
  const SideGraph& right = run_.right();
  const int n = right.producer(r);
  const int match = state.at(r).match;
  const int l = run_.aligned(r);
  if (n == kNone || match == kNone || l == kNone || run_.left().of(l) == match) return false;
  const int m = run_.left().graph().producer(l);
  const StreamNode& made = *right.node(n).made;
  if (m == kNone || !HasTrait(made, OperatorTrait::kArithmetic) ||
      run_.left().graph().node(m).made->op_type != made.op_type) {
    return false;
  }
  bool passes = false;
  bool lost = false;
  for (const int read : right.Reads(n)) {
    if (!right.IsComputed(read)) continue;
    passes |= state.at(read).match == match;
    lost |= state.at(read).match == kNone;
  }
  return passes && lost;
}

Suggester::Standing Suggester::StandingOf(const ForcedState& state) const {
  const SideGraph& right = run_.right();
  Standing standing;
  const size_t count = right.stream().results.size();
  standing.doomed.resize(count);
  standing.suspect.resize(count);
  std::vector<bool> good(count);
  std::vector<bool> used(count);
  const std::vector<int>& results = right.results();
  absl::flat_hash_set<int> wrong;
  for (const auto& [r, c] : counterparts_) {
    used[Index(r)] = true;
    const ForcedResult& result = state.at(r);
    if (result.match == c) continue;
    // Results with ambiguous values may be matched with another.
    const Value expected = run_.ValueFor(c, r);
    if (result.match == kNone || !run_.HasShapeOf(c, r) || expected.empty() ||
        !IsMeasurable(expected) || !IsMeasurable(result.held) ||
        !Near(Measure(expected.tensor()), Measure(result.held.tensor()))) {
      wrong.insert(r);
    }
  }
  for (const int r : results) {
    if (HasLostFactor(state, r)) wrong.insert(r);
  }
  for (auto it = results.rbegin(); it != results.rend(); ++it) {
    const auto r = static_cast<size_t>(*it);
    for (const int n : right.readers(*it)) {
      used[r] = true;
      for (const int output : right.node(n).made->outputs) {
        if (output == kNone) continue;
        const auto o = static_cast<size_t>(output);
        if (state.at(output).match != kNone ? !wrong.contains(output) : good[o]) good[r] = true;
        const bool reaches = standing.doomed[o] || standing.suspect[o];
        if (reaches && (state.at(output).match == kNone || wrong.contains(output)) &&
            state.at(*it).match == kNone) {
          standing.suspect[r] = true;
        }
      }
    }
    if (wrong.contains(*it) || (state.at(*it).match == kNone && !good[r] && used[r])) {
      standing.doomed[r] = true;
      standing.suspect[r] = true;
      ++standing.doomed_count;
    }
  }
  return standing;
}

bool Suggester::Resembles(const ForcedState& state, int right, int c) const {
  if (right == kNone || !IsMeasurable(run_.left().value(c))) return false;
  const ForcedResult& result = state.at(right);
  if (!IsMeasurable(result.own) ||
      result.own.tensor().num_elements() != run_.left().value(c).tensor().num_elements()) {
    return false;
  }
  const auto [it, added] = resembling_.try_emplace({result.own_content, c}, false);
  if (added) {
    const ThreadPool* pool = run_.left().pool();
    it->second =
        ConstantSimilarity(run_.left().measured(c), Measure(result.own.tensor(), pool)) >= 0.5;
  }
  return it->second;
}

std::string Suggester::OperatorOf(int right) const {
  const int n = run_.right().producer(right);
  return n == kNone ? "" : run_.right().node(n).made->op_type;
}

std::string Suggester::OperatorOfClass(int c) const {
  const SideGraph& left = run_.left().graph();
  const int n = left.producer(run_.left().representative(c));
  return n == kNone ? "" : left.node(n).made->op_type;
}

InputPair Suggester::OtherShape(const std::vector<InputPair>& pairs) const {
  InputPair found;
  for (const InputPair& pair : pairs) {
    const int c = run_.left().of(pair.left);
    if (pair.right == kNone || c == kNone || run_.HasShapeOf(c, pair.right)) continue;
    if (found.right != kNone) return InputPair();
    found = pair;
  }
  return found;
}

std::vector<Suggester::InputOverlap> Suggester::Like(const ForcedState& state, int n) const {
  std::vector<InputOverlap> noise_stats;
  for (const int q : run_.NodesLike(state, n)) {
    const std::vector<InputPair> pairs = PairInputs(run_, state, q, n);
    if (pairs.empty()) continue;
    InputOverlap similarity;
    similarity.node = q;
    size_t equal = 0;
    std::vector<int> left_classes;
    std::vector<int> right_classes;
    for (const InputPair& pair : pairs) {
      left_classes.push_back(run_.left().of(pair.left));
      right_classes.push_back(pair.right == kNone ? kNone : state.at(pair.right).match);
      if (pair.equal) {
        ++equal;
      } else {
        similarity.differing = pair;
      }
    }
    similarity.share = static_cast<double>(equal) / static_cast<double>(pairs.size());
    if (equal == pairs.size()) {
      similarity.differing = OtherShape(pairs);
    } else if (pairs.size() - equal > 1) {
      similarity.differing = InputPair();
    }
    std::sort(left_classes.begin(), left_classes.end());
    std::sort(right_classes.begin(), right_classes.end());
    if (equal < pairs.size() && left_classes == right_classes) {
      similarity.reordered = true;
      similarity.share = std::max(similarity.share, 0.75);
      similarity.differing = InputPair();
    }
    noise_stats.push_back(similarity);
  }
  return noise_stats;
}

void Suggester::SuggestForNode(const ForcedState& state, int n, Collector* collector) const {
  const StreamNode& made = *run_.right().node(n).made;
  const ValueClasses& left = run_.left();
  for (const InputOverlap& similarity : Like(state, n)) {
    const StreamNode& other = *left.graph().node(similarity.node).made;
    for (size_t slot = 0; slot < made.outputs.size() && slot < other.outputs.size(); ++slot) {
      collector->Add(made.outputs[slot], left.of(other.outputs[slot]), similarity.share);
      if (similarity.share >= 0.5) {
        collector->AddInItsShape(made.outputs[slot], left.of(other.outputs[slot]),
                                 similarity.share);
      }
    }
    // Its source may be at fault as well.
    const int c = left.of(similarity.differing.left);
    for (int r = similarity.differing.right; r != kNone && c != kNone;
         r = run_.CopiedBy(state, r)) {
      collector->Add(r, c, similarity.share);
      collector->AddInItsShape(r, c, similarity.share);
    }
  }
  // One or a few right-only nodes in a row that should change nothing.
  std::vector<int> open = run_.right().Reads(n);
  for (int hop = 0; hop < work_bounds::kHops; ++hop) {
    std::vector<int> before;
    for (const int read : open) {
      const int c = state.at(read).match;
      if (c != kNone) {
        for (const int output : made.outputs) {
          collector->Add(output, c, Resembles(state, output, c) ? kResembles : kHandsOn);
        }
      } else if (const int p = run_.right().producer(read); p != kNone) {
        const std::vector<int> reads = run_.right().Reads(p);
        before.insert(before.end(), reads.begin(), reads.end());
      }
    }
    open = std::move(before);
  }
  SuggestAfter(state, n, collector);
}

void Suggester::SuggestAfter(const ForcedState& state, int n, Collector* collector) const {
  const StreamNode& made = *run_.right().node(n).made;
  const SideGraph& left = run_.left().graph();
  absl::flat_hash_set<int> seen;
  std::vector<int> level;
  for (const int read : run_.right().Reads(n)) {
    const int c = state.at(read).match;
    if (c == kNone || run_.left().constant(c)) continue;
    const std::vector<int>& members = run_.left().members(c);
    level.insert(level.end(), members.begin(), members.end());
  }
  for (int hop = 0; hop < work_bounds::kHops && seen.size() < work_bounds::kTrials; ++hop) {
    std::vector<int> next;
    for (const int r : level) {
      for (const int q : left.readers(r)) {
        if (seen.size() >= work_bounds::kTrials || !seen.insert(q).second) continue;
        for (const int result : left.node(q).made->outputs) {
          if (result == kNone) continue;
          next.push_back(result);
          for (const int output : made.outputs) {
            collector->Add(output, run_.left().of(result), 0.3 / (hop + 1));
          }
        }
      }
    }
    level = std::move(next);
  }
}

Suggester::Suspects Suggester::FirstSuspects(const ForcedState& state,
                                             const Standing& standing) const {
  const SideGraph& right = run_.right();
  std::vector<int> nodes;
  absl::flat_hash_set<int> seen;
  const auto visit = [&](int n) {
    if (n != kNone && seen.insert(n).second) nodes.push_back(n);
  };
  size_t first = 0;
  for (const int r : right.results()) {
    if (first == work_bounds::kFewTrials) break;
    if (!standing.suspect[Index(r)]) continue;
    if (right.IsConstant(r)) continue;
    const size_t before = nodes.size();
    visit(right.producer(r));
    if (nodes.size() > before) ++first;
  }
  std::vector<int> level = nodes;
  for (int i = 0; i < work_bounds::kHops; ++i) {
    std::vector<int> next;
    for (const int n : level) {
      for (const int output : right.node(n).made->outputs) {
        if (output == kNone) continue;
        for (const int reader : right.readers(output)) {
          const size_t before = nodes.size();
          visit(reader);
          if (nodes.size() > before) next.push_back(reader);
        }
      }
    }
    level = std::move(next);
  }
  if (nodes.size() > work_bounds::kTrials) nodes.resize(work_bounds::kTrials);
  Suspects suspects;
  suspects.chosen.insert(nodes.begin(), nodes.end());
  // A node that passes on its input may have lost its operator, or its other inputs.
  const size_t most = nodes.size() + work_bounds::kFewTrials;
  for (size_t i = 0; i < nodes.size() && nodes.size() < most; ++i) {
    const int n = nodes[i];
    for (const int read : right.Reads(n)) {
      if (run_.CopiedBy(state, read) != kNone) visit(right.producer(read));
    }
  }
  suspects.nodes = std::move(nodes);
  return suspects;
}

std::vector<Suggestion> Suggester::ForSuspects(const ForcedState& state,
                                               const Standing& standing) const {
  const SideGraph& right = run_.right();
  const Suspects suspects = FirstSuspects(state, standing);
  Collector collector(*this, state);
  for (const int n : suspects.nodes) SuggestForNode(state, n, &collector);
  for (const auto& [r, l] : hints_) {
    if (standing.suspect[Index(r)] && suspects.chosen.contains(right.producer(r))) {
      collector.Add(r, run_.left().of(l), 0.7);
    }
  }
  for (const auto& [r, c] : counterparts_) {
    if (standing.doomed[Index(r)] && suspects.chosen.contains(right.producer(r))) {
      collector.Add(r, c, 0.5);
    }
  }
  std::vector<int> read;
  for (const int n : suspects.nodes) {
    const std::vector<int> reads = right.Reads(n);
    read.insert(read.end(), reads.begin(), reads.end());
  }
  collector.AddConstants(read, InnocentConstants(run_, state));
  return collector.Take();
}

std::vector<Suggestion> Suggester::ForOtherConstants(const ForcedState& state,
                                                     const Standing& standing,
                                                     absl::FunctionRef<bool(int r)> wanted) const {
  const SideGraph& right = run_.right();
  absl::flat_hash_set<int> read;
  for (const int n : FirstSuspects(state, standing).nodes) {
    for (const int r : right.Reads(n)) read.insert(r);
  }
  std::vector<int> others;
  for (const int r : right.results()) {
    if (right.IsConstant(r) && !read.contains(r) && wanted(r)) others.push_back(r);
  }
  Collector collector(*this, state);
  if (!others.empty()) collector.AddConstants(others, InnocentConstants(run_, state));
  return collector.Take();
}

}  // namespace onnxcmp

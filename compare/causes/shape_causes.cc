#include "compare/causes/shape_causes.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "compare/causes/cause_text.h"
#include "compare/causes/repair/repair_suggestions.h"
#include "record/differences/tensor_difference.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

bool HasAnotherShape(const ForcedRun& run, const ForcedState& state, int r) {
  const int c = state.at(r).match;
  if (c == kNone) return false;
  const StreamResult& ours = run.left().result(c);
  const StreamResult& theirs = run.right().result(r);
  return ours.shape != theirs.shape && ours.fingerprint.size == theirs.fingerprint.size;
}

// Walks back to the node that decides the shape: one that moves elements to other axes, or one
// whose inputs have the left's shapes. Results without a match inherit theirs from the first of
// them.
int BeginningOf(const ForcedRun& run, const ForcedState& state, int r) {
  const SideGraph& right = run.right();
  while (right.IsComputed(r)) {
    const int n = right.producer(r);
    const bool lost = state.at(r).match == kNone;
    const StreamNode& node = *right.node(n).made;
    if (!lost && HasTrait(node, OperatorTrait::kMoves) &&
        !HasTrait(node, OperatorTrait::kKeepsAxes)) {
      return r;
    }
    const std::vector<int> reads = right.Reads(n);
    const auto before = absl::c_find_if(reads, [&](int read) {
      return right.IsComputed(read) &&
             (HasAnotherShape(run, state, read) || (lost && state.at(read).match == kNone));
    });
    if (before == reads.end()) return r;
    r = *before;
  }
  return r;
}

// True for an output that no search could pair: its shape holds other elements, or it is a
// sequence.
bool IsNoMatch(const ForcedRun& run, const ForcedState& state, int r, int c) {
  const ForcedResult& result = state.at(r);
  return result.match == kNone && !result.own.empty() && run.right().IsComputed(r) &&
         (!IsMeasurable(result.own) || run.left().result(c).shape != run.right().result(r).shape);
}

// The cause at a result; its partner is a left value of class `c` if it has no match.
Cause CauseAt(const ForcedRun& run, const ForcedState& state, int r, int c) {
  const bool lost = state.at(r).match == kNone;
  if (!lost) c = state.at(r).match;
  Cause cause;
  cause.left = run.left().of(run.aligned(r)) == c ? run.aligned(r) : run.left().representative(c);
  cause.right = cause.judged = r;
  cause.local =
      TensorDifferenceOf(run.left().value_of(cause.left), lost ? state.at(r).own : state.at(r).held,
                         {}, run.left().pool());
  cause.text = CauseText(cause, run, state);
  return cause;
}

}  // namespace

std::optional<Cause> CauseOfSpreadShape(const ForcedRun& run, const ForcedState& state, int r) {
  const ForcedResult& result = state.at(r);
  if (!IsMeasurable(result.own) || !IsMeasurable(result.held) ||
      result.own.tensor().num_elements() == result.held.tensor().num_elements()) {
    return std::nullopt;
  }
  const int from = BeginningOf(run, state, r);
  if (from == r) return std::nullopt;
  return CauseAt(run, state, from, result.match);
}

std::vector<Cause> ShapeCauses(const ForcedRun& run, const ForcedState& state, bool unexplained) {
  std::vector<Cause> causes;
  const auto counterparts = OutputCounterparts(run.left(), run.right());
  for (const auto& [output, source] : run.right().outputs()) {
    const auto counterpart = source == kNone ? counterparts.end() : counterparts.find(source);
    if (counterpart == counterparts.end()) continue;
    const bool reshaped =
        HasAnotherShape(run, state, source) && counterpart->second == state.at(source).match;
    if (!reshaped && !(unexplained && IsNoMatch(run, state, source, counterpart->second))) {
      continue;
    }
    Cause cause = CauseAt(run, state, BeginningOf(run, state, source), counterpart->second);
    const auto is_it = [&](const Cause& other) { return other.right == cause.right; };
    if (absl::c_none_of(causes, is_it)) causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace onnxcmp

#include "compare/causes/shape_causes.h"

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

// Walks back to the node that decides the shape: one that moves elements, or one whose inputs have
// the left's shapes.
int BeginningOf(const ForcedRun& run, const ForcedState& state, int r) {
  const SideGraph& right = run.right();
  while (right.IsComputed(r)) {
    const int n = right.producer(r);
    const StreamNode& made = *right.node(n).made;
    if (HasTrait(made, OperatorTrait::kMoves)) return r;
    const std::vector<int> reads = right.Reads(n);
    const auto before = absl::c_find_if(reads, [&](int read) {
      return right.IsComputed(read) && HasAnotherShape(run, state, read);
    });
    if (before == reads.end()) return r;
    r = *before;
  }
  return r;
}

}  // namespace

std::vector<Cause> ShapeCauses(const ForcedRun& run, const ForcedState& state) {
  std::vector<Cause> causes;
  const auto counterparts = OutputCounterparts(run.left(), run.right());
  for (const auto& [output, source] : run.right().outputs()) {
    if (source == kNone || !HasAnotherShape(run, state, source)) continue;
    const auto counterpart = counterparts.find(source);
    if (counterpart == counterparts.end() || counterpart->second != state.at(source).match)
      continue;
    const int r = BeginningOf(run, state, source);
    const int c = state.at(r).match;
    const int l =
        run.left().of(run.aligned(r)) == c ? run.aligned(r) : run.left().representative(c);
    const auto is_it = [&](const Cause& cause) { return cause.right == r; };
    if (absl::c_any_of(causes, is_it)) continue;
    Cause& cause = causes.emplace_back();
    cause.left = l;
    cause.right = cause.judged = r;
    cause.local =
        TensorDifferenceOf(run.left().value_of(l), state.at(r).held, {}, run.left().pool());
    cause.text = CauseText(cause, run, state);
  }
  return causes;
}

}  // namespace onnxcmp

#include "compare/causes/repaired_pairs.h"

#include "absl/algorithm/container.h"

namespace onnxcmp {
namespace {

std::vector<AddedPair> OfRepairs(const LeftClasses& left, const SideGraph& right,
                                 const ForcedState& state, const Alignment& alignment) {
  std::vector<AddedPair> pairs;
  for (const auto& [r, c] : state.fixed) {
    const int partner = alignment.right_to_left[Index(r)];
    if (partner != kNone && left.of(partner) == c) continue;
    for (const int l : left.members(c)) {
      if (alignment.left_to_right[Index(l)] != kNone ||
          left.graph().IsComputed(l) != right.IsComputed(r)) {
        continue;
      }
      pairs.push_back({l, r, Mark::kRepaired});
      break;
    }
  }
  return pairs;
}

// The pair that was judged is worth more than one whose elements differ.
bool IsMissing(const Cause& cause, const SideGraph& left, const SideGraph& right,
               const Alignment& alignment) {
  if (cause.in_body.has_value() || cause.left == kNone || cause.right == kNone) return false;
  if (alignment.right_to_left[Index(cause.right)] != kNone ||
      left.IsComputed(cause.left) != right.IsComputed(cause.right)) {
    return false;
  }
  const int now = alignment.left_to_right[Index(cause.left)];
  return now == kNone ||
         left.result(cause.left).fingerprint.elements != right.result(now).fingerprint.elements;
}

}  // namespace

std::vector<AddedPair> PairsToAdd(const LeftClasses& left, const SideGraph& right,
                                  const ForcedState& state, const Alignment& alignment,
                                  const std::vector<Cause>& causes) {
  std::vector<AddedPair> pairs = OfRepairs(left, right, state, alignment);
  for (const Cause& cause : causes) {
    if (!IsMissing(cause, left.graph(), right, alignment)) continue;
    const auto is_added = [&](const AddedPair& pair) {
      return pair.left == cause.left || pair.right == cause.right;
    };
    if (!absl::c_any_of(pairs, is_added)) {
      pairs.push_back({cause.left, cause.right, Mark::kRepaired});
    }
  }
  return pairs;
}

}  // namespace onnxcmp

#include "compare/causes/repaired_pairs.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {
namespace {

Claim RepairClaim(int left, int right) {
  Claim claim = ClaimOf(Rule::kRepair, SideId::kLeft, left, right);
  claim.own.reset();
  return claim;
}

std::vector<Claim> OfRepairs(const ValueClasses& left, const SideGraph& right,
                             const ForcedState& state, const Alignment& alignment) {
  std::vector<Claim> pairs;
  for (const auto& [r, c] : state.fixed) {
    const int partner = alignment.right_to_left[Index(r)];
    if (partner != kNone && left.of(partner) == c) continue;
    for (const int l : left.members(c)) {
      if (alignment.left_to_right[Index(l)] != kNone ||
          left.graph().IsComputed(l) != right.IsComputed(r)) {
        continue;
      }
      pairs.push_back(RepairClaim(l, r));
      break;
    }
  }
  return pairs;
}

// The pair that was judged is preferred to one whose elements differ.
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

// A right result's value in the right's own run; empty if it is not available.
const Value& PlainValue(const ForcedRun& run, const ForcedState& state, int r) {
  const ForcedResult& result = state.at(r);
  const bool as_in_plain_run =
      !result.own.empty() && result.own_content == run.right().result(r).fingerprint.content;
  return as_in_plain_run ? result.own : run.plain(r);
}

// `value`: in the graph's form, which must be the model's own.
void HandBack(const SideGraph& graph, int number, const Value& value, ValueStore* store) {
  const bool own = !graph.stream().in_form || !graph.result(number).form.any();
  if (own && !value.empty() && store != nullptr) store->TakeOver(number, value);
}

}  // namespace

std::vector<Claim> PairsToAdd(const ValueClasses& left, const SideGraph& right,
                              const ForcedState& state, const Alignment& alignment,
                              const std::vector<Cause>& causes) {
  std::vector<Claim> pairs = OfRepairs(left, right, state, alignment);
  for (const Cause& cause : causes) {
    if (!IsMissing(cause, left.graph(), right, alignment)) continue;
    const auto is_added = [&](const Claim& pair) {
      return pair.left == cause.left || pair.right == cause.right;
    };
    if (!absl::c_any_of(pairs, is_added)) {
      pairs.push_back(RepairClaim(cause.left, cause.right));
    }
  }
  return pairs;
}

void HandBackValues(const std::vector<Claim>& pairs, const ForcedRun& run, const ForcedState& state,
                    const PerSide<ValueStore*>& stores) {
  for (const Claim& pair : pairs) {
    HandBack(run.left().graph(), pair.left, run.left().value_of(pair.left), stores.left);
    HandBack(run.right(), pair.right, PlainValue(run, state, pair.right), stores.right);
  }
}

}  // namespace onnxcmp

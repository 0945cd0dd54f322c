#include "compare/alignment/claim_log.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace onnxcmp {

void ClaimLog::Add(int l, int r, Rule rule, double points, ClaimOutcome outcome) {
  const auto known = absl::c_find_if(
      claims, [&](const Claim& claim) { return claim.left == l && claim.right == r; });
  if (known != claims.end() && known->points > points) return;
  const Claim claim = {.left = l, .right = r, .rule = rule, .points = points, .outcome = outcome};
  if (known == claims.end()) {
    claims.push_back(claim);
  } else {
    *known = claim;
  }
}

void ClaimLog::Close(const std::vector<int>& partners, bool mirrored) {
  for (Claim& claim : claims) {
    if (partners[Index(claim.left)] == claim.right) {
      claim.outcome = ClaimOutcome::kPaired;
    } else if (claim.outcome == ClaimOutcome::kFewPoints &&
               claim.points >= RowOfRule(claim.rule).points) {
      claim.outcome = ClaimOutcome::kBeaten;
    }
    if (mirrored) std::swap(claim.left, claim.right);
  }
  if (mirrored) std::swap(left, right);
  absl::c_stable_sort(claims, [](const Claim& a, const Claim& b) { return a.points > b.points; });
}

}  // namespace onnxcmp

#include "compare/explain/row_claims.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "compare/alignment/claim_log.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

std::vector<Claim> OfAligner(int left, int right, const ComparedSides& compared) {
  ClaimLog log = {.left = left, .right = right, .claims = {}};
  Align(compared.left, compared.right, &log);
  return std::move(log.claims);
}

// The layout in which a recorded result is shown.
void AddLayout(int left, int right, SideId side, const ComparedSides& compared,
               std::vector<Claim>* claims) {
  const int own = side == SideId::kLeft ? left : right;
  if (own == kNone) return;
  const ResultStream& stream = side == SideId::kLeft ? compared.left : compared.right;
  const std::string& layout = stream.results[Index(own)].recorded_as;
  if (layout.empty()) return;
  const int other = side == SideId::kLeft ? right : left;
  Claim& claim = claims->emplace_back(ClaimOf(Rule::kLayouts, side, own, other));
  claim.how = layout;
  claim.outcome = ClaimOutcome::kPaired;
}

}  // namespace

std::vector<Claim> ClaimsOn(int left, int right, const AlignedRow& row,
                            const ComparedSides& compared) {
  std::vector<Claim> claims;
  for (const SideId side : kBothSides) AddLayout(left, right, side, compared, &claims);
  const auto is_asked = [&](const Claim& claim) {
    return (left != kNone && claim.left == left) || (right != kNone && claim.right == right);
  };
  if (compared.alignment.claims != nullptr) {
    absl::c_copy_if(*compared.alignment.claims, std::back_inserter(claims), is_asked);
  }
  // Pairs of the aligner that a rule for recordings has undone are beaten.
  for (Claim& claim : OfAligner(left, right, compared)) {
    const bool paired = claim.left != kNone && claim.right != kNone &&
                        compared.alignment.left_to_right[Index(claim.left)] == claim.right;
    if (claim.outcome == ClaimOutcome::kPaired && !paired) claim.outcome = ClaimOutcome::kBeaten;
    claims.push_back(std::move(claim));
  }
  const bool is_there = absl::c_any_of(claims, [&](const Claim& claim) {
    return claim.rule != Rule::kLayouts && claim.left == left && claim.right == right;
  });
  if (left != kNone && right != kNone && row.rule != Rule::kNone && !is_there) {
    Claim claim = ClaimOf(row.rule, SideId::kLeft, left, right);
    claim.outcome = Has(row.marks, Mark::kMerged) ? ClaimOutcome::kShares : ClaimOutcome::kPaired;
    claims.push_back(std::move(claim));
  }
  absl::c_stable_sort(claims, [](const Claim& a, const Claim& b) { return a.points > b.points; });
  claims.resize(std::min<size_t>(claims.size(), work_bounds::kShown));
  return claims;
}

}  // namespace onnxcmp

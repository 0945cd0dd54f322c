#include "compare/alignment/claim.h"

namespace onnxcmp {
namespace {

struct OutcomeWords {
  absl::string_view name;
  absl::string_view text;
};

OutcomeWords OutcomeWordsOf(ClaimOutcome outcome) {
  switch (outcome) {
    case ClaimOutcome::kPaired:
      return {"paired", "paired"};
    case ClaimOutcome::kShares:
      return {"shares", "shares the partner of another result"};
    case ClaimOutcome::kBeside:
      return {"beside", "stands beside it"};
    case ClaimOutcome::kBeaten:
      return {"beaten", "a surer claim has one of the two"};
    case ClaimOutcome::kNearer:
      return {"nearer", "another free result is nearer"};
    case ClaimOutcome::kFewPoints:
      return {"few points", "too few points for this rule"};
  }
  return {};
}

}  // namespace

Claim ClaimOf(Rule rule, SideId own, int result, int other, double more) {
  Claim claim = {.rule = rule, .points = RowOfRule(rule).points + more, .own = own};
  OfSide(claim, own) = result;
  OfSide(claim, Other(own)) = other;
  return claim;
}

absl::string_view OutcomeText(ClaimOutcome outcome) { return OutcomeWordsOf(outcome).text; }

absl::string_view OutcomeName(ClaimOutcome outcome) { return OutcomeWordsOf(outcome).name; }

}  // namespace onnxcmp

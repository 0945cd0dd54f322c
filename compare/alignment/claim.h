// A proposal that two results belong together, and how it ended.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_CLAIM_H_
#define ONNXCMP_COMPARE_ALIGNMENT_CLAIM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "compare/alignment/rules.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

enum class ClaimOutcome : uint8_t {
  kPaired,
  kShares,     // the partner's row is another result's; this one is merged with it
  kBeside,     // a row of its own, beside the result that explains it
  kBeaten,     // a surer claim has the one or the other
  kNearer,     // a free result is nearer to one of the two
  kFewPoints,  // fewer than the rule asks for
};

struct Claim {
  int left = kNone;
  // kNone on one side: a recorded result that should have a partner and has none.
  int right = kNone;
  Rule rule = Rule::kNone;
  double points = 0;  // at least its rule's
  // The side whose result looks for a partner: several of that side may claim one of the other's.
  // Nothing: the claim is exclusive.
  std::optional<SideId> own = std::nullopt;
  bool shares = false;   // it asks for no row of its own if there is another claim on the partner
  std::string how = "";  // "before a folded BatchNormalization"
  ClaimOutcome outcome = ClaimOutcome::kBeaten;
};

// A claim of a rule with the rule's points, and those that evidence adds.
Claim ClaimOf(Rule rule, SideId own, int result, int other, double more = 0);

// "paired", "beaten by a surer claim": for --explain.
absl::string_view OutcomeText(ClaimOutcome outcome);
// "beaten": for JSON.
absl::string_view OutcomeName(ClaimOutcome outcome);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_CLAIM_H_

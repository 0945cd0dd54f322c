#include "generate/generation_words.h"

#include "absl/strings/str_cat.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

std::string ChangeText(const Generation& generation, const TokenChange& change) {
  const GeneratedStep& step = generation.steps[change.step];
  const PerSide<int64_t>& token = step.rows[change.row].token;
  std::string text = absl::StrCat("the token differs first at step ", change.step);
  if (step.rows.size() > 1) absl::StrAppend(&text, " of prompt ", change.row);
  absl::StrAppend(&text, ": ", token.left, " on the left, ", token.right, " on the right: ");
  const std::string figures = absl::StrCat(
      "the two logits are ", TwoDigits(change.apart),
      " apart on both sides together, and rounding explains up to ", TwoDigits(change.rounding));
  if (change.tie) return absl::StrCat(text, "a tie: ", figures);
  if (step.relation == Relation::kDifferent) {
    return absl::StrCat(text, "a fault, no tie: the logits differ beyond rounding");
  }
  return absl::StrCat(text, "no tie, though the logits agree within tolerance: ", figures);
}

}  // namespace

std::vector<std::string> OutcomeLines(const Generation& generation) {
  std::vector<std::string> lines;
  const size_t steps = generation.steps.size();
  if (generation.failing.has_value()) {
    const size_t failing = *generation.failing;
    const bool ran = failing < steps;
    const std::string state = ran ? generation.steps[failing].state : "";
    const bool logits = ran && generation.steps[failing].relation == Relation::kDifferent;
    lines.push_back(absl::StrCat(
        "step ", failing, " is the first that fails: ",
        !ran                        ? "a side does not run"
        : !logits && !state.empty() ? absl::StrCat("the state ", state, " differs")
        : logits && !state.empty()  ? absl::StrCat("the logits and the state ", state, " differ")
                                    : "the logits differ",
        generation.compared_on.empty() ? ""
                                       : absl::StrCat("; compared on ", generation.compared_on)));
  } else if (steps > 0) {
    lines.push_back(
        absl::StrCat("the logits of ", Count(static_cast<int64_t>(steps), "step"), " agree"));
  }
  if (generation.change.has_value()) lines.push_back(ChangeText(generation, *generation.change));
  if (!generation.status.ok()) {
    lines.push_back(absl::StrCat("the steps ended after ", steps, ": ",
                                 std::string(generation.status.message())));
  }
  return lines;
}

std::string InvariantText(const Invariant& invariant) {
  switch (invariant.outcome) {
    case Invariant::Outcome::kToTheBit:
      return "held to the bit";
    case Invariant::Outcome::kWithinRounding:
      return absl::StrCat("held within rounding, ", TwoDigits(invariant.max_difference));
    case Invariant::Outcome::kNotTried:
      return absl::StrCat("not tried: ", invariant.why);
    case Invariant::Outcome::kOpen:
      return absl::StrCat("open: ", invariant.why);
    case Invariant::Outcome::kBroken:
      break;
  }
  if (!invariant.why.empty()) return absl::StrCat("broken: ", invariant.why);
  std::string text = "broken";
  if (!invariant.result.empty()) {
    absl::StrAppend(&text, " at ", invariant.node, " (", invariant.result, ")");
  }
  absl::StrAppend(&text, ": step ", invariant.step, ", token ", invariant.position, " of prompt ",
                  invariant.row, ", logits ", ElementsText(invariant.elements));
  return text;
}

std::string OutcomeName(Invariant::Outcome outcome) {
  switch (outcome) {
    case Invariant::Outcome::kToTheBit:
      return "to_the_bit";
    case Invariant::Outcome::kWithinRounding:
      return "within_rounding";
    case Invariant::Outcome::kBroken:
      return "broken";
    case Invariant::Outcome::kOpen:
      return "open";
    case Invariant::Outcome::kNotTried:
      break;
  }
  return "not_tried";
}

Relation RelationOfOutcome(Invariant::Outcome outcome) {
  if (outcome == Invariant::Outcome::kToTheBit) return Relation::kSame;
  return outcome == Invariant::Outcome::kWithinRounding ? Relation::kClose : Relation::kDifferent;
}

}  // namespace onnxcmp

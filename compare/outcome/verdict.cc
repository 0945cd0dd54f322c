#include "compare/outcome/verdict.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "compare/causes/cause_class.h"
#include "compare/outputs/rulings.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// True if causes contribute so little to an output's difference that its wide tolerance, from the
// types upstream, may stay. `moved`: distance that the output moves without them, relative to its
// size, if that is known.
bool IsExcused(const OutputPair& pair, std::optional<double> moved) {
  constexpr double kShareOfDifference = 0.5;
  constexpr double kShareOfTolerance = 0.25;
  if (!moved.has_value()) return false;
  if (*moved <= pair.own_whole) return true;
  return *moved <= kShareOfDifference * pair.difference.apart &&
         *moved <= kShareOfTolerance * pair.difference.tolerance.whole;
}

void Rejudge(std::optional<double> moved, OutputPair* pair) {
  pair->moved = std::max(pair->moved.value_or(0), moved.value_or(0));
  if (pair->within_own || IsExcused(*pair, moved)) return;
  Rule(Ground::kCause,
       moved.has_value() ? absl::StrCat("rounding does not explain it: a cause moves it by ",
                                        TwoDigits(*moved), " of its size")
                         : "rounding does not explain it",
       pair);
}

}  // namespace

Verdict VerdictOf(const SideSummary& left, const SideSummary& right,
                  const OutputComparison& outputs) {
  if (!left.status.ok() || !right.status.ok()) return Verdict::kFailed;
  if (!outputs.agree()) return Verdict::kDifferent;
  const bool same = std::all_of(outputs.pairs.begin(), outputs.pairs.end(),
                                [](const OutputPair& pair) { return pair.same_bits; });
  return same ? Verdict::kSame : Verdict::kClose;
}

Verdict Comparison::verdict() const {
  if (differ_by_sizes) return Verdict::kDifferent;
  if (!status.ok()) return Verdict::kFailed;
  const Verdict by_outputs = VerdictOf(left_summary, right_summary, outputs);
  return untested && by_outputs != Verdict::kFailed ? Verdict::kUntested : by_outputs;
}

bool DifferByKnownForms(const OutputComparison& outputs, absl::Span<const Cause> causes) {
  return !outputs.agree() && !causes.empty() &&
         std::all_of(causes.begin(), causes.end(),
                     [](const Cause& cause) { return cause.known_form; });
}

Tolerance ToleranceOfKnownForms() { return {1e-3, 0, 5e-3, 2e-3, 2e-3}; }

Tolerance ToleranceOfOtherCalibration() { return {5e-2, 0, 0.8, 0.12, 2e-3}; }

OutputComparison RejudgeOutputs(OutputComparison outputs, absl::Span<const OutputEffect> effects,
                                absl::Span<const Cause> causes, bool reviewed) {
  const bool any = std::any_of(causes.begin(), causes.end(),
                               [](const Cause& cause) { return IsWrong(cause) && !cause.review; });
  for (OutputPair& pair : outputs.pairs) {
    if (!pair.agrees()) continue;
    for (const OutputEffect& effect : effects) {
      if (effect.output == pair.right_result && (!reviewed || any)) Rejudge(effect.moved, &pair);
    }
    for (const Cause& cause : causes) {
      if (reviewed && cause.review && IsWrong(cause)) Rejudge(cause.effect, &pair);
    }
  }
  return outputs;
}

}  // namespace onnxcmp

#include "compare/outcome/exit_status.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/causes/cause_class.h"
#include "compare/outcome/proof_report.h"
#include "feed/coverage/unread_rows.h"

namespace onnxcmp {

std::string OtherFailure(const Comparison& comparison) {
  if (comparison.verdict() != Verdict::kSame && comparison.verdict() != Verdict::kClose) return "";
  if (comparison.proof != nullptr && !comparison.proof->failure.empty()) {
    return comparison.proof->failure;
  }
  if (comparison.fail_on == FailOn::kBits && comparison.verdict() == Verdict::kClose) {
    return "not all bits are the same (--fail-on bits)";
  }
  if (comparison.fail_on != FailOn::kCauses) return "";
  if (!comparison.unread.empty()) {
    return absl::StrCat(UnreadText(comparison.unread[0]), " (--fail-on causes)");
  }
  if (!comparison.causes_not_searched.empty()) {
    return absl::StrCat("no cause could be looked for (--fail-on causes): ",
                        comparison.causes_not_searched);
  }
  const auto wrong = std::count_if(comparison.causes.begin(), comparison.causes.end(), IsWrong);
  if (wrong == 0) return "";
  return absl::StrFormat("%d %s named (--fail-on causes)", wrong,
                         wrong == 1 ? "cause was" : "causes were");
}

int ExitStatusOf(const Comparison& comparison) {
  switch (comparison.verdict()) {
    case Verdict::kSame:
    case Verdict::kClose:
      return OtherFailure(comparison).empty() ? 0 : 1;
    case Verdict::kDifferent:
      return 1;
    case Verdict::kUntested:
    case Verdict::kFailed:
      break;
  }
  return 2;
}

Verdict OverallVerdict(absl::Span<const SetSummary> sets) {
  Verdict worst{};
  for (const SetSummary& set : sets) worst = std::max(worst, set.verdict);
  return worst;
}

int OverallExitStatus(absl::Span<const SetSummary> sets) {
  int worst = 0;
  for (const SetSummary& set : sets) worst = std::max(worst, set.exit_status);
  return worst;
}

}  // namespace onnxcmp

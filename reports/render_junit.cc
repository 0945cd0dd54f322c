#include "reports/render_junit.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/outcome/proof_report.h"
#include "compare/outcome/verdict.h"
#include "record/base/per_side.h"
#include "reports/junit_suite.h"
#include "reports/table/table_summary.h"
#include "reports/words/proof_text.h"
#include "reports/words/proof_words.h"
#include "reports/words/result_words.h"

namespace onnxcmp {
namespace {

// The first cause, with which the message begins, since lists of failures show only that. "" if no
// cause is known.
std::string FirstCause(const Comparison& comparison) {
  if (comparison.causes.empty()) return "";
  const size_t more = comparison.causes.size() - 1;
  return absl::StrCat("cause: ", CauseSentence(comparison, comparison.causes.front()),
                      more > 0 ? absl::StrCat(" (and ", more, " more)") : "", "; ");
}

}  // namespace

std::string RenderJunit(const Comparison& comparison) {
  JunitSuite suite;
  const auto add_run = [&](const char* name, const SideSummary& summary) {
    const absl::string_view message = summary.status.message();
    suite.Add("run", name, summary.status.ok() ? "" : "error", message, message);
  };
  add_run("left", comparison.left_summary);
  add_run("right", comparison.right_summary);
  if (!comparison.status.ok()) {
    suite.Add("run", "comparison", "error", comparison.status.message(), "");
  }
  const OutputComparison& outputs = comparison.outputs;
  for (const OutputPair& pair : outputs.pairs) {
    const std::vector<std::string> lines = DescribeOutput(pair);
    const std::string name =
        pair.left == pair.right ? pair.left : absl::StrCat(pair.left, " | ", pair.right);
    const bool passes = IsAccepted(outputs, pair);
    suite.Add(pair.recorded ? "recorded" : "output", name, passes ? "" : "failure",
              absl::StrCat(FirstCause(comparison), lines[0]), absl::StrJoin(lines, "\n"));
  }
  const auto add_missing = [&](const std::vector<std::string>& names, const char* side) {
    for (const std::string& name : names) {
      const std::string text = outputs.recorded > 0
                                   ? absl::StrCat("recorded on the ", side, ", found nowhere")
                                   : absl::StrCat("only the ", side, " model has this output");
      suite.Add(outputs.recorded > 0 ? "recorded" : "output", name,
                outputs.partial ? "skipped" : "failure", text, "");
    }
  };
  add_missing(outputs.only_left, "left");
  add_missing(outputs.only_right, "right");
  // A failure without a failing pair has a case of its own.
  if (outputs.pairs.empty() && comparison.verdict() == Verdict::kDifferent) {
    suite.Add("output", "outputs", "failure", "there is nothing to compare", "");
  }
  if (comparison.verdict() == Verdict::kUntested) {
    suite.Add("verdict", "untested", "error", "nothing was tested by these inputs", "");
  }
  if (const std::string failure = OtherFailure(comparison); !failure.empty()) {
    suite.Add("verdict", VerdictName(comparison.verdict()), "failure", failure, "");
  }
  if (comparison.proof != nullptr) {
    const std::vector<std::string> lines = ProofText(*comparison.proof, true);
    suite.Add("proof", "same for all inputs of these shapes",
              comparison.proof->proved ? "" : "skipped", lines.front(), absl::StrJoin(lines, "\n"));
  }
  std::vector<std::string> out = {absl::StrCat("verdict: ", VerdictName(comparison.verdict()))};
  for (const Cause& cause : comparison.causes) {
    const std::string left = CauseName(comparison, cause, SideId::kLeft);
    const std::string right = CauseName(comparison, cause, SideId::kRight);
    const std::string line = CauseSourceLine(comparison, cause);
    const std::string certificate = CertificateText(cause);
    out.push_back(absl::StrCat("cause: ", CauseKindName(cause.kind), ": ", left,
                               left == right ? "" : absl::StrCat(" | ", right), ": ", cause.text,
                               certificate.empty() ? "" : absl::StrCat("; ", certificate),
                               line.empty() ? "" : absl::StrCat("; from ", line)));
  }
  if (comparison.proof != nullptr) {
    for (const std::string& line : ProofText(*comparison.proof, true)) {
      out.push_back(absl::StrCat("proof: ", line));
    }
    if (const std::string rewrites = RewritesText(comparison, true); !rewrites.empty()) {
      out.push_back(absl::StrCat("rewrites: ", rewrites));
    }
  }
  return suite.Take(
      absl::StrCat(comparison.left_summary.source, " | ", comparison.right_summary.source),
      absl::StrJoin(out, "\n"));
}

}  // namespace onnxcmp

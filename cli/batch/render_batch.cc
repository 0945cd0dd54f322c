#include "cli/batch/render_batch.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/junit_suite.h"

namespace onnxcmp::cli {
namespace {

constexpr size_t kMaxMarkdown = 60000;  // bytes
constexpr size_t kNamesOfFinding = 5;

// In a cell of Markdown's tables.
std::string MarkdownCell(absl::string_view text) {
  return absl::StrReplaceAll(
      ShortenEnd(PrintableText(text), 300, "…"),
      {{"|", "\\|"}, {"<", "&lt;"}, {"`", "'"}, {"*", "\\*"}, {"_", "\\_"}, {"](", "]\\("}});
}

// Lines up to a size, and how many there were more.
class BoundedLines {
 public:
  void Title(absl::string_view title) { Text(absl::StrCat("\n### ", title, "\n\n")); }
  void Text(const std::string& text) {
    if (text_.size() + text.size() < kMaxMarkdown) {
      text_ += text;
    } else {
      ++left_out_;
    }
  }
  std::string Take() const {
    if (left_out_ == 0) return text_;
    return absl::StrCat(text_, "\n", left_out_, " lines were left out.\n");
  }

 private:
  std::string text_;
  int64_t left_out_ = 0;
};

std::string NamesOf(const BatchFinding& finding, const std::vector<PairResult>& results) {
  std::vector<std::string> names;
  for (size_t i = 0; i < finding.pairs.size() && i < kNamesOfFinding; ++i) {
    names.push_back(results[finding.pairs[i]].name);
  }
  const size_t more = finding.pairs.size() - names.size();
  return absl::StrCat(absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

void AddFindings(const std::vector<BatchFinding>& findings, absl::string_view title,
                 const std::vector<PairResult>& results, BoundedLines* lines) {
  if (findings.empty()) return;
  lines->Title(title);
  lines->Text("| | pairs | for example |\n| --- | ---: | --- |\n");
  for (const BatchFinding& finding : findings) {
    lines->Text(absl::StrCat(
        "| ", MarkdownCell(finding.name), finding.wrong ? "" : " (another way to compute the same)",
        " | ", finding.pairs.size(), " | ", MarkdownCell(NamesOf(finding, results)), " |\n"));
  }
}

void AddMarkdownChanges(const BatchChanges& changes, const std::vector<PairResult>& results,
                        BoundedLines* lines) {
  lines->Title(absl::StrCat("Since ", changes.baseline));
  if (!changes.any()) lines->Text("Nothing has changed.\n");
  const auto verdicts = [&](absl::string_view what,
                            const std::vector<BatchChanges::Verdict>& list) {
    for (const BatchChanges::Verdict& change : list) {
      const PairResult& result = results[change.pair];
      lines->Text(absl::StrCat("- ", what, ": ", MarkdownCell(result.name), ", ",
                               VerdictWords(change.before), " → ", VerdictWords(result.outcome),
                               "\n"));
    }
  };
  const auto names = [&](absl::string_view what, const std::vector<std::string>& list) {
    for (const std::string& name : list) {
      lines->Text(absl::StrCat("- ", what, ": ", MarkdownCell(name), "\n"));
    }
  };
  verdicts("no longer as expected", changes.worse);
  verdicts("as expected now", changes.better);
  verdicts("another verdict", changes.changed);
  names("new mistake", changes.new_findings);
  names("mistake that is gone", changes.gone_findings);
  std::vector<std::string> added;
  for (const size_t pair : changes.new_pairs) added.push_back(results[pair].name);
  names("new pair", added);
  names("pair that is gone", changes.gone_pairs);
}

}  // namespace

std::string BatchHeadline(const BatchSummary& summary) {
  const VerdictCounts& all = summary.all;
  return absl::StrCat(
      all.pairs - all.unexpected, " of ", Count(all.pairs, "pair"),
      " as expected: ", CountsText(all),
      all.to_prove == 0 ? "" : absl::StrCat("; ", all.proved, " of ", all.to_prove, " proved"));
}

std::string RenderBatchMarkdown(const std::vector<PairResult>& results,
                                const BatchSummary& summary) {
  BoundedLines lines;
  lines.Text(absl::StrCat("## onnxcmp batch: ", BatchHeadline(summary), "\n\nexit status ",
                          summary.exit_status, "\n"));
  if (summary.changes.has_value()) AddMarkdownChanges(*summary.changes, results, &lines);
  AddFindings(summary.findings, "Causes", results, &lines);
  AddFindings(summary.not_compared, "Not compared", results, &lines);
  if (!summary.tags.empty()) {
    lines.Title("By tag");
    lines.Text("| tag | pairs | not as expected | verdicts |\n| --- | ---: | ---: | --- |\n");
    for (const auto& [tag, counts] : summary.tags) {
      lines.Text(absl::StrCat("| ", MarkdownCell(tag), " | ", counts.pairs, " | ",
                              counts.unexpected, " | ", CountsText(counts), " |\n"));
    }
  }
  if (!summary.unexpected.empty()) {
    lines.Title("Not as expected");
    lines.Text("| pair | verdict | |\n| --- | --- | --- |\n");
    for (const size_t pair : summary.unexpected) {
      const PairResult& result = results[pair];
      lines.Text(absl::StrCat("| ", MarkdownCell(result.name), " | ", VerdictWords(result.outcome),
                              " | ", MarkdownCell(ReasonOf(result)), " |\n"));
    }
  }
  return lines.Take();
}

std::string RenderBatchJunit(const std::vector<PairResult>& results, const BatchSummary& summary) {
  JunitSuite suite;
  for (const PairResult& result : results) {
    const int status = result.exit_status();
    const std::string expectation =
        result.expect.empty() ? "" : absl::StrCat(" (expected: ", result.expect, ")");
    std::vector<std::string> text = {result.left, result.right, result.summary};
    for (const FoundCause& cause : result.causes) {
      text.push_back(absl::StrCat(cause.finding, " ", cause.place, ": ", cause.text));
    }
    suite.Add(result.tags.empty() ? "batch" : result.tags[0], result.name,
              status == 0   ? ""
              : status == 1 ? "failure"
                            : "error",
              absl::StrCat(VerdictWords(result.outcome), expectation, ": ", ReasonOf(result)),
              absl::StrJoin(text, "\n"));
  }
  return suite.Take("onnxcmp batch", absl::StrCat(BatchHeadline(summary), "\n"));
}

}  // namespace onnxcmp::cli

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "cli/batch/batch_summary.h"
#include "cli/batch/page_bundle.h"
#include "cli/batch/pair_result.h"
#include "cli/batch/render_batch.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"
#include "record/text/short_text.h"

namespace onnxcmp::cli {
namespace {

// A browser takes seconds for a longer table; results.jsonl has all.
constexpr size_t kMaxRows = 5000;
constexpr size_t kMaxNames = 200;  // of a finding

// Spaces at which a terminal does not break a line are plain ones here.
std::string Html(absl::string_view text) {
  return EscapedMarkup(PrintableText(absl::StrReplaceAll(text, {{kNoBreak, " "}})));
}

// 'sha256-...', by which a content security policy allows an inline script.
std::string Source(absl::string_view sha256) {
  return absl::StrCat("'sha256-", absl::Base64Escape(absl::HexStringToBytes(sha256)), "'");
}

class BatchPage {
 public:
  BatchPage(const std::vector<PairResult>& results, const BatchSummary& summary)
      : results_(results), summary_(summary) {}

  std::string Take() {
    const PageBundle& bundle = GetBatchBundle();
    const std::string headline = Html(BatchHeadline(summary_));
    text_ = absl::StrCat(
        "<!DOCTYPE html>\n<html lang=\"en\" data-exit=\"", summary_.exit_status,
        "\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; script-src ",
        Source(bundle.script_sha256), "; style-src ", Source(bundle.style_sha256),
        "; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n"
        "<title>",
        headline, " - onnxcmp batch</title>\n<style>", bundle.style,
        "</style>\n</head>\n<body>\n<main>\n", "<div class=\"verdict",
        summary_.exit_status == 0 ? "" : " failed", "\"><h1>", headline, "</h1>\n");
    Facts();
    text_ += "</div>\n";
    if (summary_.changes.has_value()) Changes(*summary_.changes);
    Pairs("unexpected", "Not as expected", summary_.unexpected);
    Findings("causes", "Causes of pairs that fail", OfFailing(summary_.findings));
    Findings("not-compared", "Not compared", summary_.not_compared);
    Tags();
    Pairs("slowest", "Slowest", summary_.slowest);
    Pairs("largest", "Most memory", summary_.largest);
    AllPairs();
    absl::StrAppend(&text_, "</main>\n<script>", bundle.script, "</script>\n</body>\n</html>\n");
    return std::move(text_);
  }

 private:
  void Facts() {
    absl::StrAppend(&text_, "<p>exit status ", summary_.exit_status, "; ",
                    absl::StrFormat("%.1f s", summary_.pair_seconds), " in comparisons");
    if (!results_.empty()) absl::StrAppend(&text_, "; ", Html(results_[0].version));
    text_ +=
        "; <a href=\"results.jsonl\">results.jsonl</a>, <a href=\"junit.xml\">JUnit</a>, "
        "<a href=\"summary.md\">Markdown</a></p>\n";
  }

  void Head(absl::string_view id, absl::string_view title, size_t count) {
    absl::StrAppend(&text_, "<h2 id=\"", id, "\">", title, " <span class=\"dim\">", count,
                    "</span></h2>\n");
  }

  std::string Name(size_t pair) const {
    const PairResult& result = results_[pair];
    std::string name = Html(result.name);
    const std::string& file = result.page.empty() ? result.report : result.page;
    if (result.folder.empty()) return name;
    return absl::StrCat("<a href=\"", Html(result.folder), "/",
                        file.empty() ? "result.json" : Html(file), "\">", name, "</a>");
  }

  static std::string Verdict(const PairResult& result) {
    return absl::StrCat(
        "<span class=\"", result.as_expected ? "good" : "bad", "\">",
        Html(VerdictWords(result.outcome)), "</span>",
        result.expect.empty()
            ? ""
            : absl::StrCat("<br><span class=\"dim\">expected: ", Html(result.expect), "</span>"));
  }

  // Causes in pairs that pass are nothing to mend.
  std::vector<BatchFinding> OfFailing(std::vector<BatchFinding> findings) const {
    for (BatchFinding& finding : findings) {
      std::erase_if(finding.pairs, [&](const size_t pair) { return results_[pair].exit == 0; });
    }
    std::erase_if(findings, [](const BatchFinding& finding) { return finding.pairs.empty(); });
    return findings;
  }

  void Findings(absl::string_view id, absl::string_view title,
                const std::vector<BatchFinding>& findings) {
    if (findings.empty()) return;
    Head(id, title, findings.size());
    text_ +=
        "<div class=\"scroll\"><table>\n<tr><th>what</th><th class=\"number\">pairs</th>"
        "<th>for example</th><th>in</th></tr>\n";
    for (const BatchFinding& finding : findings) {
      absl::StrAppend(&text_, "<tr><td class=\"name\">",
                      finding.wrong ? "" : "<span class=\"dim\">", Html(finding.name),
                      finding.wrong ? "" : "</span>", "</td><td class=\"number\">",
                      finding.pairs.size(), "</td><td>", Html(finding.example), "</td><td>");
      std::vector<std::string> names;
      for (size_t i = 0; i < finding.pairs.size() && i < kMaxNames; ++i) {
        names.push_back(Name(finding.pairs[i]));
      }
      if (finding.pairs.size() > kMaxNames) {
        names.push_back(absl::StrCat("and ", finding.pairs.size() - kMaxNames, " more"));
      }
      const std::string list = absl::StrJoin(names, ", ");
      if (names.size() <= 3) {
        text_ += list;
      } else {
        absl::StrAppend(&text_, "<details><summary>", finding.pairs.size(), " pairs</summary>",
                        list, "</details>");
      }
      text_ += "</td></tr>\n";
    }
    text_ += "</table></div>\n";
  }

  void Tags() {
    if (summary_.tags.empty()) return;
    Head("tags", "By tag", summary_.tags.size());
    text_ +=
        "<div class=\"scroll\"><table>\n<tr><th>tag</th><th class=\"number\">pairs</th>"
        "<th class=\"number\">not as expected</th><th>verdicts</th></tr>\n";
    for (const auto& [tag, counts] : summary_.tags) {
      absl::StrAppend(&text_, "<tr><td class=\"name\">", Html(tag), "</td><td class=\"number\">",
                      counts.pairs, "</td><td class=\"number", counts.unexpected > 0 ? " bad" : "",
                      "\">", counts.unexpected, "</td><td>", Html(CountsText(counts)),
                      "</td></tr>\n");
    }
    text_ += "</table></div>\n";
  }

  void Pairs(absl::string_view id, absl::string_view title, const std::vector<size_t>& pairs) {
    if (pairs.empty()) return;
    Head(id, title, pairs.size());
    if (id == "all") Tools();
    absl::StrAppend(&text_, "<div class=\"scroll\"><table class=\"pairs ", id,
                    "\">\n<tr><th>pair</th><th>verdict</th><th>why</th><th>worst output</th>"
                    "<th class=\"number\">difference</th><th class=\"number\">time</th>"
                    "<th class=\"number\">memory</th><th class=\"number\">models</th></tr>\n");
    for (size_t i = 0; i < pairs.size() && i < kMaxRows; ++i) {
      const PairResult& result = results_[pairs[i]];
      absl::StrAppend(&text_, "<tr data-verdict=\"", Html(VerdictWords(result.outcome)), "\"",
                      result.as_expected ? "" : " data-unexpected", "><td class=\"name\">",
                      Name(pairs[i]), "</td><td>", Verdict(result), "</td><td>",
                      Html(ReasonOf(result)), "</td><td class=\"name\">", Html(result.worst_output),
                      "</td>");
      NumberCell(result.worst_distance,
                 result.worst_distance > 0 ? TwoDigits(result.worst_distance) : "");
      NumberCell(result.seconds, absl::StrFormat("%.2f s", result.seconds));
      NumberCell(static_cast<double>(result.peak_bytes), BytesText(result.peak_bytes));
      NumberCell(static_cast<double>(result.model_bytes), BytesText(result.model_bytes));
      text_ += "</tr>\n";
    }
    text_ += "</table></div>\n";
    if (pairs.size() > kMaxRows) {
      absl::StrAppend(&text_, "<p>", pairs.size() - kMaxRows, " more are in results.jsonl.</p>\n");
    }
  }

  // The script orders by the number.
  void NumberCell(double number, absl::string_view shown) {
    absl::StrAppend(&text_, "<td class=\"number\" data-value=\"",
                    std::isnan(number)   ? "-1"
                    : std::isinf(number) ? "1e999"
                                         : absl::StrCat(number),
                    "\">", shown, "</td>");
  }

  // Shown by the script that they need.
  void Tools() {
    text_ +=
        "<div id=\"tools\" hidden><label>Search <input type=\"search\" "
        "placeholder=\"pair, cause, output  ( / )\"></label><label>Show <select>"
        "<option value=\"\">all pairs</option><option value=\"unexpected\">not as expected"
        "</option></select></label><span role=\"status\"></span></div>\n";
  }

  void AllPairs() {
    std::vector<size_t> all(results_.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    Pairs("all", "All pairs", all);
  }

  void Changes(const BatchChanges& changes) {
    absl::StrAppend(&text_, "<h2 id=\"changes\">Since ", Html(changes.baseline), "</h2>\n");
    if (!changes.any()) {
      text_ += "<p>Nothing has changed.</p>\n";
      return;
    }
    text_ += "<ul>\n";
    Changed("no longer as expected", "bad", changes.worse);
    Changed("as expected now", "good", changes.better);
    Changed("another verdict", "", changes.changed);
    const auto list = [&](absl::string_view what, absl::string_view style,
                          const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        absl::StrAppend(&text_, "<li><span class=\"", style, "\">", what, "</span>: ", name,
                        "</li>\n");
      }
    };
    const auto escaped = [](std::vector<std::string> names) {
      for (std::string& name : names) name = Html(name);
      return names;
    };
    list("new mistake", "bad", escaped(changes.new_findings));
    list("mistake that is gone", "good", escaped(changes.gone_findings));
    std::vector<std::string> added;
    for (const size_t pair : changes.new_pairs) added.push_back(Name(pair));
    list("new pair", "", added);
    list("pair that is gone", "", escaped(changes.gone_pairs));
    text_ += "</ul>\n";
  }

  void Changed(absl::string_view what, absl::string_view style,
               const std::vector<BatchChanges::Verdict>& list) {
    for (const BatchChanges::Verdict& change : list) {
      const PairResult& result = results_[change.pair];
      absl::StrAppend(&text_, "<li><span class=\"", style, "\">", what,
                      "</span>: ", Name(change.pair), ", ", Html(VerdictWords(change.before)),
                      " → ", Html(VerdictWords(result.outcome)), "; ", Html(ReasonOf(result)),
                      "</li>\n");
    }
  }

  const std::vector<PairResult>& results_;
  const BatchSummary& summary_;
  std::string text_;
};

}  // namespace

std::string RenderBatchPage(const std::vector<PairResult>& results, const BatchSummary& summary) {
  return BatchPage(results, summary).Take();
}

}  // namespace onnxcmp::cli

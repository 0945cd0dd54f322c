// The end of the table: what was tested, the verdict and who decided it.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/outcome/exit_status.h"
#include "record/base/per_side.h"
#include "record/text/display_text.h"
#include "reports/table/table_summary.h"
#include "reports/words/not_finite_text.h"
#include "reports/words/proof_words.h"
#include "reports/words/result_words.h"
#include "reports/words/rulings_text.h"

namespace onnxcmp {
namespace {

// The sizes that were tried, a line each.
std::string SizesLines(const Comparison& comparison, const TableOptions& options,
                       const TableStyle& style) {
  std::string text;
  for (const TriedSizes& one : comparison.sizes) {
    const bool left = one.status.left.ok();
    const bool right = one.status.right.ok();
    const char* what = left && right ? one.agrees ? "both run and agree" : "both run and differ"
                       : left        ? "the left alone runs"
                       : right       ? "the right alone runs"
                                     : "neither runs";
    text += LabelledLines(text.empty() ? "sizes" : "", Color::kBold,
                          absl::StrCat(PrintableText(one.sizes), ": ", what), options, style);
  }
  return text;
}

std::string CoverageLines(const Comparison& comparison, const TableOptions& options,
                          const TableStyle& style) {
  std::string text;
  if (!comparison.coverage.has_value()) {
    return LabelledLines("coverage", Color::kBold, "inputs were given: nothing was counted",
                         options, style);
  }
  for (const UnexercisedNode& node : comparison.coverage->missing) {
    text += LabelledLines(text.empty() ? "coverage" : "", Color::kBold,
                          absl::StrCat(SideName(node.side), " ", node.op_type, " ",
                                       PrintableText(node.name), ": ", node.why),
                          options, style);
  }
  return text.empty() ? LabelledLines("coverage", Color::kBold, "every node was exercised whole",
                                      options, style)
                      : text;
}

// The objections and excuses that decided each output, if all is asked for.
std::string JudgedLines(const Comparison& comparison, const TableOptions& options,
                        const TableStyle& style) {
  if (options.rows != TableOptions::Rows::kAll) return "";
  std::string text;
  for (const std::string& line : RulingsText(comparison.outputs)) {
    text += LabelledLines(text.empty() ? "judged" : "", Color::kPlain, PrintableText(line), options,
                          style);
  }
  return text;
}

// The proof, with a legend of the marks of rows.
std::string ProofFoot(const Comparison& comparison, const TableOptions& options,
                      const TableStyle& style) {
  const bool all = options.rows == TableOptions::Rows::kAll;
  std::vector<std::string> lines = ProofLines(comparison, all);
  if (const std::string pairs = ProvedPairsText(comparison, style.ProofMarks()); !pairs.empty()) {
    lines.push_back(pairs);
  }
  std::string text;
  for (const std::string& line : lines) {
    text += LabelledLines(text.empty() ? "proof" : "", Color::kPlain, line, options, style);
  }
  const std::string rewrites = RewritesText(comparison, all);
  if (rewrites.empty()) return text;
  return text + LabelledLines("rewrites", Color::kPlain, rewrites, options, style);
}

// Tests beside the outputs: coverage, sizes, the proof.
std::string TestedLines(const Comparison& comparison, const TableOptions& options,
                        const TableStyle& style) {
  return absl::StrCat(options.coverage ? CoverageLines(comparison, options, style) : "",
                      SizesLines(comparison, options, style),
                      ProofFoot(comparison, options, style));
}

}  // namespace

std::string NotFiniteLines(const Comparison& comparison, const TableOptions& options,
                           const TableStyle& style) {
  const bool all = options.only_not_finite || options.rows == TableOptions::Rows::kAll;
  std::vector<std::string> lines = NotFiniteText(comparison, all);
  if (lines.empty() && options.only_not_finite) {
    lines = {"nothing: all results of both sides are finite"};
  }
  std::string text;
  for (const std::string& line : lines) {
    text += LabelledLines(text.empty() ? "not finite" : "", Color::kBad, line, options, style);
  }
  return text;
}

std::string VerdictDetails(const Comparison& comparison, const TableOptions& options,
                           const TableStyle& style) {
  std::string text = TestedLines(comparison, options, style);
  const bool all = options.rows == TableOptions::Rows::kAll;
  const std::vector<std::string> lines = VerdictText(comparison, all);
  std::string before;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (BelongsAbove(comparison, lines[i])) continue;
    absl::string_view line = lines[i];
    std::string label = "also";
    if (absl::ConsumePrefix(&line, "tolerance: ")) {
      label = "tolerance";
    } else if (absl::StartsWith(line, "tolerance of ")) {
      absl::ConsumePrefix(&line, "tolerance ");
      label = "tolerance";
    } else if (absl::StrContains(line, "made-up set")) {
      label = "tested";
    }
    text += LabelledLines(label == before ? "" : label, Color::kPlain, line, options, style);
    before = label;
  }
  if (!all) return absl::StrCat(text, "exit ", ExitStatusOf(comparison), "\n");
  std::string label = "judged";
  for (const std::string& line : RulingsText(comparison.outputs)) {
    text +=
        LabelledLines(std::exchange(label, ""), Color::kPlain, PrintableText(line), options, style);
  }
  return absl::StrCat(text, "exit ", ExitStatusOf(comparison), "\n");
}

std::string VerdictLines(const Comparison& comparison, const TableOptions& options,
                         const TableStyle& style) {
  std::string text = TestedLines(comparison, options, style);
  absl::string_view label = VerdictName(comparison.verdict());
  const bool all = options.rows == TableOptions::Rows::kAll;
  for (absl::string_view line : VerdictText(comparison, all)) {
    // "same" is the label.
    if (label == "same" && absl::StartsWith(line, "same for ")) line.remove_prefix(5);
    text += LabelledLines(label, TableStyle::ColorOf(comparison.verdict()), line, options, style);
    label = "";
  }
  return absl::StrCat(text, JudgedLines(comparison, options, style), "exit ",
                      ExitStatusOf(comparison), "\n");
}

}  // namespace onnxcmp

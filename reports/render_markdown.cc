#include "reports/render_markdown.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/alignment/mark_names.h"
#include "compare/outcome/proof_report.h"
#include "compare/outcome/verdict.h"
#include "record/base/per_side.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "record/text/utf8.h"
#include "reports/table/cause_words.h"
#include "reports/table/render_fusions.h"
#include "reports/table/render_quantization.h"
#include "reports/table/table_summary.h"
#include "reports/words/change_words.h"
#include "reports/words/keep_in_float_text.h"
#include "reports/words/not_finite_text.h"
#include "reports/words/proof_text.h"
#include "reports/words/proof_words.h"
#include "reports/words/result_words.h"
#include "reports/words/shadow_text.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp {
namespace {

// As code, so that nothing in a name is taken for markup.
std::string Code(absl::string_view text) {
  if (text.empty()) return "";
  return absl::StrCat(
      "`", absl::StrReplaceAll(RepairUtf8(text), {{"`", "'"}, {"\r", " "}, {"\n", " "}}), "`");
}

std::string Cells(absl::Span<const std::string> cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    // A bar ends a cell even within code.
    absl::StrAppend(&text, " ", absl::StrReplaceAll(cell, {{"|", "\\|"}}), " |");
  }
  return text + "\n";
}

std::string Opsets(const SideSummary& summary) {
  return absl::StrJoin(summary.opsets, ", ", [](std::string* out, const auto& opset) {
    absl::StrAppend(out, opset.first.empty() ? "ai.onnx" : opset.first, " ", opset.second);
  });
}

std::string Models(const Comparison& comparison) {
  const SideSummary& left = comparison.left_summary;
  const SideSummary& right = comparison.right_summary;
  std::string text = "| | left | right |\n| --- | --- | --- |\n";
  const auto add = [&](const char* what, const std::string& a, const std::string& b) {
    text += Cells({what, a, b});
  };
  add("source", Code(left.source), Code(right.source));
  add("nodes", absl::StrCat(left.nodes), absl::StrCat(right.nodes));
  add("operators", absl::StrCat(left.operators), absl::StrCat(right.operators));
  add("initializers", absl::StrCat(left.initializers), absl::StrCat(right.initializers));
  add("bytes", absl::StrCat(left.bytes), absl::StrCat(right.bytes));
  add("opsets", Code(Opsets(left)), Code(Opsets(right)));
  if (!left.status.ok() || !right.status.ok()) {
    add("error", Code(left.status.message()), Code(right.status.message()));
  }
  return text;
}

std::string Causes(const Comparison& comparison) {
  if (comparison.causes.empty()) return "";
  std::string text = comparison.causes.size() == 1 ? "\n### Cause\n\n" : "\n### Causes\n\n";
  for (const Cause& cause : comparison.causes) {
    absl::StrAppend(&text, "1. ", CauseKindName(cause.kind), " ",
                    Code(CauseName(comparison, cause, SideId::kLeft)), " / ",
                    Code(CauseName(comparison, cause, SideId::kRight)), ": ",
                    Code(TellingFirst(cause.text)));
    const std::string line = CauseSourceLine(comparison, cause);
    if (!line.empty()) absl::StrAppend(&text, "; from ", Code(line));
    const std::string certificate = CertificateText(cause);
    if (!certificate.empty()) absl::StrAppend(&text, "; ", certificate);
    const std::string proved = CauseProofText(comparison, cause);
    if (!proved.empty()) absl::StrAppend(&text, "; ", proved);
    text += "\n";
  }
  return text;
}

// Each kind of change once, with its count.
std::string Changes(const Comparison& comparison) {
  std::string text;
  for (const auto& [label, line] : ChangeLines(WhatChanged(comparison))) {
    absl::StrAppend(&text, text.empty() ? "\n### What changed\n\n" : "", "- ", label, ": ",
                    Code(absl::StrReplaceAll(line, {{kNoBreak, " "}})), "\n");
  }
  return text;
}

std::string KeepSection(const Comparison& comparison) {
  if (!comparison.keep_in_float.has_value()) return "";
  std::string text = "\n### Keep in float\n\n";
  for (const std::string& line : KeepInFloatText(comparison)) {
    absl::StrAppend(&text, "- ", Code(line), "\n");
  }
  return absl::StrCat(text, "\n```python\n",
                      absl::StrReplaceAll(RepairUtf8(KeepInFloatList(*comparison.keep_in_float)),
                                          {{"\r", " "}, {"\n", " "}}),
                      "\n```\n");
}

std::string FixSection(const FixReport* fix) {
  if (fix == nullptr) return "";
  std::string text = "\n### Fix\n\n";
  for (const std::string& line : FixLines(*fix)) {
    absl::StrAppend(&text, line.starts_with(" ") ? "  - " : "- ",
                    Code(absl::StripLeadingAsciiWhitespace(line)), "\n");
  }
  return text;
}

std::string NotFiniteSection(const Comparison& comparison) {
  const std::vector<std::string> lines = NotFiniteText(comparison, false);
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, "- ", Code(line), "\n");
  return text;
}

std::string ShadowSection(const Comparison& comparison) {
  if (!comparison.shadow.has_value()) return "";
  std::string text;
  for (const std::string& line : ShadowText(*comparison.shadow)) {
    absl::StrAppend(&text, "- ", Code(line), "\n");
  }
  return text;
}

std::string ProofSection(const Comparison& comparison) {
  if (comparison.proof == nullptr) return "";
  std::vector<std::string> lines = ProofText(*comparison.proof, false);
  for (const std::string& line :
       {ProvedPairsText(comparison, {}), RewritesText(comparison, false)}) {
    if (!line.empty()) lines.push_back(absl::StrReplaceAll(line, {{kNoBreak, " "}}));
  }
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, "- ", Code(line), "\n");
  return text;
}

// Rows with the same bits need no line, unless a proof doubts them.
bool IsTold(const Comparison& comparison, size_t row) {
  const RowProof proof = RowProofOf(comparison, row);
  return comparison.rows[row].relation != Relation::kSame || proof == RowProof::kNotProved ||
         proof == RowProof::kDiffers;
}

std::string QuantizationSection(const Comparison& comparison) {
  if (!comparison.quantization.has_value()) return "";
  std::string text;
  for (const std::string& line : QuantizationText(comparison)) {
    absl::StrAppend(&text, "- ", Code(line), "\n");
  }
  const QuantizationReport& report = *comparison.quantization;
  const ResultStream& side = OfSide(comparison, report.side);
  for (const QuantizationMistake& mistake : report.mistakes) {
    absl::StrAppend(&text, "- mistake: ", Code(side.results[Index(mistake.result)].name), ": ",
                    Code(mistake.text), "\n");
  }
  const std::vector<std::string> columns = QuantizationColumns();
  absl::StrAppend(&text, "\n", Cells(columns),
                  Cells(std::vector<std::string>(columns.size(), "---")));
  for (const QuantizedLayer& layer : report.layers) {
    std::vector<std::string> cells = QuantizationCells(comparison, layer);
    for (std::string& cell : cells) cell = Code(cell);
    text += Cells(cells);
  }
  return text;
}

std::string FusionsSection(const Comparison& comparison) {
  if (!comparison.fusions.has_value()) return "";
  const FusionTexts texts = TextsOf(*comparison.fusions);
  std::string text;
  for (const std::string& line : texts.counts) {
    absl::StrAppend(&text, "- ", Code(absl::StripLeadingAsciiWhitespace(line)), "\n");
  }
  for (size_t i = 0; i < texts.broken.size(); ++i) {
    absl::StrAppend(&text, "- broken: ", Code(texts.broken[i]), "\n");
    for (const std::string& obstacle : texts.obstacles[i]) {
      absl::StrAppend(&text, "  - ", Code(obstacle), "\n");
    }
  }
  for (const std::string& note : texts.notes) absl::StrAppend(&text, "- ", Code(note), "\n");
  if (!texts.nodes_to_exclude.empty()) {
    absl::StrAppend(&text, "\n```python\n", absl::StrJoin(texts.nodes_to_exclude, "\n"), "\n```\n");
  }
  return text;
}

// Operator, name and type of the last result; counts such as "2→1" are left to the marks.
std::string SideCell(absl::Span<const int> results, const ResultStream& stream) {
  if (results.empty()) return "";
  const StreamResult& result = stream.results[Index(results.back())];
  const std::string& op_type = OpTypeOf(result, stream);
  const absl::string_view what = op_type.empty() ? ResultKindName(result.kind) : op_type;
  const std::string name =
      result.path.empty() ? result.name : absl::StrCat(result.path, "/", result.name);
  return absl::StrJoin({Code(what), Code(name), Code(result.type)}, " ");
}

std::string Difference(const ComparedRow& row) {
  if (row.difference == nullptr) return "";
  const ValueDifference& values = row.difference->values;
  if (!values.reason.empty()) return Code(values.reason);
  return absl::StrFormat("max abs %s, max rel %s, %d of %d beyond", TwoDigits(values.max_absolute),
                         TwoDigits(values.max_relative), values.beyond, values.elements);
}

std::string TableRows(const Comparison& comparison, size_t max_rows) {
  std::array<size_t, 5> counts = {};
  for (const ComparedRow& row : comparison.rows) ++counts[static_cast<size_t>(row.relation)];
  size_t shown = 0;
  for (size_t i = 0; i < comparison.rows.size(); ++i) shown += IsTold(comparison, i) ? 1 : 0;
  std::string text =
      absl::StrFormat("%d the same bits, %d close, %d different, %d left only, %d right only\n",
                      counts[0], counts[1], counts[2], counts[3], counts[4]);
  if (shown == 0) return text;
  const bool proof = comparison.proof != nullptr;
  absl::StrAppend(&text, "\n| row | | left | right | difference | marks |", proof ? " proof |" : "",
                  "\n| --- | --- | --- | --- | --- | --- |", proof ? " --- |" : "", "\n");
  constexpr std::array<const char*, 5> kSigns = {"=", "≈", "≠", "-", "+"};
  size_t written = 0;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (!IsTold(comparison, i)) continue;
    if (written == max_rows) break;
    ++written;
    std::vector<std::string> cells = {absl::StrCat(i),
                                      kSigns[static_cast<size_t>(row.relation)],
                                      SideCell(row.aligned.left, comparison.left),
                                      SideCell(row.aligned.right, comparison.right),
                                      Difference(row),
                                      absl::StrJoin(MarkNames(row.aligned.marks), ", ")};
    if (proof) cells.emplace_back(RowProofName(RowProofOf(comparison, i)));
    text += Cells(cells);
  }
  if (written < shown) absl::StrAppend(&text, "\n", shown - written, " more rows are left out.\n");
  return text;
}

// As many lines as fit, and the number of the others.
std::string Fitting(const std::string& text, size_t room) {
  constexpr size_t kForWord = 80;
  if (text.size() <= room) return text;
  const size_t end = room < kForWord ? std::string::npos : text.rfind('\n', room - kForWord);
  const std::string kept = end == std::string::npos ? "" : text.substr(0, end + 1);
  const auto lines =
      std::count(text.begin() + static_cast<std::ptrdiff_t>(kept.size()), text.end(), '\n');
  // Closes a code block that is cut.
  const bool in_code = absl::StrContains(kept, "\n```") &&
                       std::vector<std::string>(absl::StrSplit(kept, "\n```")).size() % 2 == 0;
  return absl::StrCat(kept, in_code ? "```\n" : "", "\n", lines,
                      " more lines are left out: a comment has an end.\n");
}

// Adds a collapsible section.
void AddFolded(const char* title, const std::string& body, size_t max_bytes, std::string* text) {
  if (body.empty()) return;
  const std::string begin = absl::StrCat("\n<details><summary>", title, "</summary>\n\n");
  constexpr absl::string_view kEnd = "\n</details>\n";
  const size_t taken = text->size() + begin.size() + kEnd.size();
  absl::StrAppend(text, begin, Fitting(body, max_bytes - std::min(max_bytes, taken)), kEnd);
}

std::string Outputs(const Comparison& comparison) {
  std::string text;
  for (const std::string& line : DescribeOutputs(comparison.outputs)) {
    absl::StrAppend(&text, "- ", Code(absl::StripAsciiWhitespace(line)), "\n");
  }
  return text;
}

std::string Notes(const Comparison& comparison) {
  std::string text = comparison.notes.empty() ? "" : "\n";
  for (const std::string& note : comparison.notes) {
    absl::StrAppend(&text, "- note: ", Code(note), "\n");
  }
  return text;
}

}  // namespace

std::string RenderMarkdown(const Comparison& comparison, const MarkdownOptions& options) {
  const std::string failure = OtherFailure(comparison);
  std::string text = absl::StrCat("## onnxcmp: ", VerdictName(comparison.verdict()), "\n\nexit ",
                                  ExitStatusOf(comparison),
                                  failure.empty() ? "" : absl::StrCat(": ", Code(failure)), "\n\n");
  for (const std::string& line : VerdictText(comparison)) {
    absl::StrAppend(&text, "- ", Code(line), "\n");
  }
  absl::StrAppend(&text, Causes(comparison), FixSection(options.fix), KeepSection(comparison),
                  Changes(comparison));
  // Reserved for the titles of sections and the counts of omitted lines.
  constexpr size_t kForTitles = 1500;
  const size_t most = options.max_bytes - std::min(options.max_bytes, kForTitles);
  text = Fitting(text, most);
  for (const auto& [title, body] : std::initializer_list<std::pair<const char*, std::string>>{
           {"Where numbers become NaN or infinite", NotFiniteSection(comparison)},
           {"Outputs", Outputs(comparison)},
           {"Models and notes", absl::StrCat(Models(comparison), Notes(comparison))},
           {"Proof", ProofSection(comparison)},
           {"In double", ShadowSection(comparison)},
           {"Quantization", QuantizationSection(comparison)},
           {"Blocks that runtimes fuse", FusionsSection(comparison)},
           {"Rows", TableRows(comparison, options.max_rows)}}) {
    AddFolded(title, body, most, &text);
  }
  return text;
}

}  // namespace onnxcmp

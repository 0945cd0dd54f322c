#include "generate/render_generation.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "generate/generation_words.h"
#include "generate/render_drift.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"
#include "record/text/short_text.h"
#include "reports/render_markdown.h"
#include "reports/render_table.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {
namespace {

constexpr int kStepWidth = 6;
constexpr int kNumberWidth = 10;

std::string Cell(const std::string& text) { return PadRight(text, kNumberWidth); }

// Tokens, margins, the difference and the divergence of a row; the same of both sides once.
std::array<std::string, 6> CellsOf(const GeneratedStep::Row& row) {
  return {absl::StrCat(row.token.left), absl::StrCat(row.token.right), TwoDigits(row.margin.left),
          TwoDigits(row.margin.right),  TwoDigits(row.max_difference), TwoDigits(row.kl)};
}

std::string Relations(const GeneratedStep& step, const TableStyle& style) {
  return step.relation.has_value() ? style.Sign(*step.relation) : " ";
}

std::string Heading(const std::string& label, const std::vector<std::string>& lines,
                    const TableOptions& look, const TableStyle& style) {
  std::string text;
  std::string name = label;
  for (const std::string& line : lines) {
    absl::StrAppend(&text, LabelledLines(name, Color::kBold, line, look, style));
    name.clear();
  }
  return text;
}

class Report {
 public:
  Report(const Generation& generation, const TableOptions& look)
      : found_(generation), look_(look), style_(look) {}

  std::string Render() const {
    std::string text;
    for (const SideId side : kBothSides) {
      std::vector<std::string> lines = {found_.sources[side]};
      lines.insert(lines.end(), found_.roles[side].begin(), found_.roles[side].end());
      absl::StrAppend(&text, Heading(std::string(SideName(side)), lines, look_, style_));
    }
    for (const std::vector<int64_t>& prompt : found_.prompts) {
      absl::StrAppend(
          &text, LabelledLines("prompt", Color::kBold, absl::StrJoin(prompt, " "), look_, style_));
    }
    for (const std::string& note : found_.notes) {
      absl::StrAppend(&text, LabelledLines("note", Color::kNear, note, look_, style_));
    }
    absl::StrAppend(&text, "\n", Steps(), RenderDrift(found_, look_), "\n");
    for (const std::string& line : OutcomeLines(found_)) {
      absl::StrAppend(&text, LabelledLines("", Color::kPlain, line, look_, style_));
    }
    for (const Invariant& invariant : found_.alone) {
      absl::StrAppend(
          &text, LabelledLines("", Color::kPlain,
                               absl::StrCat(invariant.name, ": ", InvariantText(invariant)), look_,
                               style_));
    }
    // Of a side that breaks alone the table shows that both agree.
    if (found_.comparison != nullptr && found_.alone.empty()) {
      return absl::StrCat(text, "\n", RenderTable(*found_.comparison, look_));
    }
    return absl::StrCat(text, "exit ", found_.ExitStatus(), "\n");
  }

 private:
  std::string Steps() const {
    if (found_.steps.empty()) return "";
    std::string text = absl::StrCat("  ", PadRight("step", kStepWidth));
    for (const char* name : {"left", "right", "margin", "  right", "max |l-r|", "KL"}) {
      absl::StrAppend(&text, Cell(name));
    }
    absl::StripTrailingAsciiWhitespace(&text);
    absl::StrAppend(&text, "\n");
    for (size_t i = 0; i < found_.steps.size(); ++i) {
      const GeneratedStep& step = found_.steps[i];
      for (size_t row = 0; row < step.rows.size(); ++row) {
        const bool first = row == 0;
        const Color color =
            step.relation.has_value() ? TableStyle::ColorOf(*step.relation) : Color::kDim;
        absl::StrAppend(&text, first ? style_.Paint(Relations(step, style_), color) : " ", " ",
                        PadRight(first ? absl::StrCat(i) : "", kStepWidth));
        std::string cells;
        for (const std::string& cell : CellsOf(step.rows[row])) absl::StrAppend(&cells, Cell(cell));
        if (first && !step.state.empty()) {
          absl::StrAppend(&cells, "state ", style_.Text(step.state));
        }
        absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(cells), "\n");
      }
    }
    return text;
  }

  const Generation& found_;
  const TableOptions& look_;
  const TableStyle style_;
};

std::string SignOf(const Invariant& invariant, const TableStyle& style) {
  if (invariant.outcome == Invariant::Outcome::kNotTried) return " ";
  if (invariant.outcome == Invariant::Outcome::kOpen) return style.Paint("?", Color::kNear);
  const Relation relation = RelationOfOutcome(invariant.outcome);
  return style.Paint(style.Sign(relation), TableStyle::ColorOf(relation));
}

}  // namespace

std::string RenderGeneration(const Generation& generation, const TableOptions& look) {
  return Report(generation, look).Render();
}

std::string RenderGenerationMarkdown(const Generation& generation) {
  std::string text;
  for (const std::string& line : OutcomeLines(generation)) {
    absl::StrAppend(&text, EscapedMarkdown(line), "\n\n");
  }
  for (const Invariant& invariant : generation.alone) {
    absl::StrAppend(&text, "- ", EscapedMarkdown(invariant.name), ": ",
                    EscapedMarkdown(InvariantText(invariant)), "\n");
  }
  absl::StrAppend(&text,
                  "| step | prompt | | left | right | margin left | margin right | max \\|l-r\\| | "
                  "KL |\n|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < generation.steps.size(); ++i) {
    const GeneratedStep& step = generation.steps[i];
    for (size_t row = 0; row < step.rows.size(); ++row) {
      absl::StrAppend(&text, "| ", i, " | ", row, " | ",
                      step.relation.has_value() ? RelationName(*step.relation) : "", " | ",
                      absl::StrJoin(CellsOf(step.rows[row]), " | "), " |\n");
    }
  }
  if (generation.comparison != nullptr) {
    absl::StrAppend(&text, "\n", RenderMarkdown(*generation.comparison));
  }
  return text;
}

std::string RenderInvariants(const Invariants& invariants, const TableOptions& look) {
  const TableStyle style(look);
  std::string text = Heading("model", invariants.roles, look, style);
  if (!invariants.taken_for.empty()) {
    absl::StrAppend(&text,
                    LabelledLines("taken for", Color::kNear, invariants.taken_for, look, style));
  }
  size_t width = 0;
  for (const Invariant& one : invariants.tried) width = std::max(width, one.name.size());
  absl::StrAppend(&text, "\n");
  for (const Invariant& one : invariants.tried) {
    absl::StrAppend(&text, SignOf(one, style), " ", PadRight(one.name, static_cast<int>(width)),
                    "  ", style.Text(InvariantText(one)), "\n");
  }
  absl::StrAppend(&text, "exit ", invariants.ExitStatus(), "\n");
  return text;
}

std::string RenderInvariantsMarkdown(const Invariants& invariants) {
  std::string text;
  if (!invariants.taken_for.empty()) {
    absl::StrAppend(&text, "taken for ", EscapedMarkdown(invariants.taken_for), "\n\n");
  }
  absl::StrAppend(&text, "| property | outcome |\n|---|---|\n");
  for (const Invariant& one : invariants.tried) {
    absl::StrAppend(&text, "| ", EscapedMarkdown(one.name), " | ",
                    EscapedMarkdown(InvariantText(one)), " |\n");
  }
  return text;
}

}  // namespace onnxcmp

#include "reports/render_svg.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/outcome/fused_rows.h"
#include "record/base/per_side.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/layout/letters.h"
#include "reports/svg/draw_graphs_around.h"
#include "reports/svg/draw_heat_maps.h"
#include "reports/svg/svg_paper.h"
#include "reports/table/cause_words.h"
#include "reports/table/growth_text.h"
#include "reports/table/table_summary.h"
#include "reports/words/change_words.h"

namespace onnxcmp {
namespace {

const char* ColorOf(Verdict verdict) {
  return verdict == Verdict::kSame || verdict == Verdict::kClose
             ? kRelationColors[static_cast<size_t>(Relation::kClose)]
         : verdict == Verdict::kUntested
             ? kRelationColors[static_cast<size_t>(Relation::kSame)]
             : kRelationColors[static_cast<size_t>(Relation::kDifferent)];
}

const SideSummary& SummaryOfSide(const Comparison& comparison, SideId side) {
  return side == SideId::kLeft ? comparison.left_summary : comparison.right_summary;
}

// The sentence stands before the figures, which have lines of their own.
void DrawVerdict(const Comparison& comparison, SvgPaper* paper) {
  const std::vector<std::string> lines = VerdictText(comparison);
  const absl::string_view first = lines.empty() ? "" : absl::string_view(lines.front());
  const size_t colon =
      comparison.verdict() == Verdict::kFailed ? std::string::npos : first.find(": ");
  paper->BeginPanel();
  paper->Write(VerdictName(comparison.verdict()), "title", 1);
  paper->Write(first.substr(0, colon), "words", 4);
  if (colon != std::string::npos) paper->Write(first.substr(colon + 2), "quiet", 4);
  size_t others = 0;
  for (size_t i = 1; i < lines.size() && others < 3; ++i) {
    if (!BelongsAbove(comparison, lines[i])) continue;
    paper->Write(lines[i], "said", 2);
    ++others;
  }
  for (const SideId side : kBothSides) {
    const SideSummary& summary = SummaryOfSide(comparison, side);
    const std::string nodes = summary.nodes > 0 ? ", " + Count(summary.nodes, "node") : "";
    const int room =
        ColumnsOf("name", SvgPaper::kRight - SvgPaper::kMargin - 20) - DisplayWidth(nodes) - 8;
    const std::string file = ShortenStart(PrintableText(summary.source), room, "…");
    paper->Write(absl::StrCat(SideName(side), ": ", file, nodes), "name", 1);
  }
  paper->EndPanel(ColorOf(comparison.verdict()));
}

void DrawCauses(const Comparison& comparison, SvgPaper* paper) {
  const size_t count = comparison.causes.size();
  if (count == 0) return;
  const size_t shown = std::min<size_t>(count, 3);
  paper->BeginPanel();
  for (size_t i = 0; i < shown; ++i) {
    // Options of a command line are for who has it at hand: the picture names none.
    const CauseWords words = WordsOf(comparison, comparison.causes[i], {});
    paper->Write(CauseLabel(comparison, i), "quiet", 1);
    paper->Write(words.what, "heading", 4);
    if (!words.where.empty()) paper->Write(words.where, "name", 2);
    if (!words.why.empty()) paper->Write(words.why, "said", 4);
  }
  if (count > shown) {
    paper->Write(absl::StrCat("… ", count - shown, " more"), "quiet", 1);
  }
  paper->EndPanel(kRelationColors[static_cast<size_t>(Relation::kDifferent)]);
}

void DrawChanges(const Comparison& comparison, SvgPaper* paper) {
  if (!ChangesComeFirst(comparison)) return;
  const std::vector<std::pair<std::string, std::string>> lines =
      ChangeLines(WhatChanged(comparison));
  if (lines.empty()) return;
  paper->BeginPanel();
  paper->Write("What changed", "heading", 1);
  for (const auto& [label, line] : lines) {
    paper->Write(absl::StrCat(label, ": ", line), "said", 3);
  }
  paper->EndPanel(kRelationColors[static_cast<size_t>(Relation::kSame)]);
}

// The row that a reader is to see: the first cause's, else the first that differs, else the first
// change.
int RowToShow(const Comparison& comparison) {
  for (const Cause& cause : comparison.causes) {
    const int row = RowOfCause(comparison, cause);
    if (row >= 0) return row;
  }
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    if (comparison.rows[i].relation == Relation::kDifferent) return static_cast<int>(i);
  }
  const std::vector<FusedRows> fusions = FindFusedRows(comparison);
  if (!fusions.empty() && !fusions.front().rows.empty()) {
    return static_cast<int>(fusions.front().rows.back());
  }
  for (const Change& change : FindChanges(comparison, fusions)) {
    if (!change.rows.empty()) return static_cast<int>(change.rows.front());
  }
  return -1;
}

}  // namespace

std::string RenderSvg(const Comparison& comparison) {
  SvgPaper paper;
  DrawVerdict(comparison, &paper);
  DrawCauses(comparison, &paper);
  DrawChanges(comparison, &paper);
  const int shown = RowToShow(comparison);
  if (shown >= 0) {
    const ComparedRow& row = comparison.rows[static_cast<size_t>(shown)];
    const AlignedRow& aligned = row.aligned;
    const char* title = !comparison.causes.empty() ? "Both graphs around the cause"
                        : row.relation == Relation::kDifferent
                            ? "Both graphs around the first difference"
                            : "Both graphs around the first change";
    DrawGraphsAround(comparison, title, aligned.left.empty() ? kNone : aligned.left.back(),
                     aligned.right.empty() ? kNone : aligned.right.back(), &paper);
    if (row.picture != nullptr) DrawHeatMaps(*row.picture, &paper);
  }
  const std::string growth = GrowthText(comparison, /*ascii=*/false);
  if (!growth.empty()) {
    paper.Write("Errors along the results", "heading", 1);
    paper.Write(growth, "name", 2);
  }
  std::vector<std::string> names;
  for (const SideId side : kBothSides) {
    names.push_back(PrintableText(SummaryOfSide(comparison, side).source));
  }
  return paper.Finish(absl::StrCat("onnxcmp: ", VerdictName(comparison.verdict()), ": ", names[0],
                                   " | ", names[1]));
}

}  // namespace onnxcmp

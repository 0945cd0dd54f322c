#include "reports/render_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/outcome/fused_rows.h"
#include "compare/outcome/verdict.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/render_explanation.h"
#include "reports/table/render_fusions.h"
#include "reports/table/render_quantization.h"
#include "reports/table/table_layout.h"
#include "reports/table/table_lines.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {

std::string RenderTable(const Comparison& comparison, const TableOptions& options) {
  const TableStyle style(options);
  if (comparison.explanation.has_value()) {
    return absl::StrCat(RenderExplanation(comparison, options, style),
                        VerdictLines(comparison, options, style));
  }
  if (comparison.fusions.has_value() || comparison.quantization.has_value()) {
    return absl::StrCat(
        TableHead(comparison, options, style), "\n",
        comparison.quantization.has_value() ? RenderQuantization(comparison, options, style) : "",
        comparison.fusions.has_value() ? RenderFusions(comparison, options, style) : "",
        VerdictLines(comparison, options, style));
  }
  if (options.only_not_finite) {
    return absl::StrCat(TableHead(comparison, options, style), "\n",
                        NotFiniteLines(comparison, options, style),
                        VerdictLines(comparison, options, style));
  }
  const std::vector<FusedRows> fusions = FindFusedRows(comparison);
  const std::string body =
      LayOut(MakeTableLines(comparison, fusions, options.rows), options, style);
  bool all_causes = false;
  const std::string top = TableTop(comparison, fusions, options, style, &all_causes);
  const std::string above =
      absl::StrCat(top, "\n", TableHead(comparison, options, style), "\n", body);
  const bool longer = std::count(above.begin(), above.end(), '\n') > options.height;
  return absl::StrCat(above, body.empty() ? "" : "\n",
                      TableFoot(comparison, fusions, options, style,
                                /*causes=*/!all_causes, /*verdict=*/longer));
}

SetSummary SummaryOf(const std::string& name, const Comparison& comparison) {
  return {name, comparison.verdict(), ExitStatusOf(comparison), VerdictText(comparison).front()};
}

std::string RenderSummaries(absl::Span<const SetSummary> summaries, const TableOptions& options) {
  const TableStyle style(options);
  constexpr std::array<const char*, 5> kSigns = {"=", "≈", "?", "≠", "x"};
  int name_width = 0;
  for (const SetSummary& one : summaries) {
    name_width = std::max(name_width, DisplayWidth(style.Text(PrintableText(one.name))));
  }
  std::string text;
  for (const SetSummary& one : summaries) {
    const Color color = TableStyle::ColorOf(one.verdict);
    const std::string before =
        absl::StrCat(PadRight(style.Text(PrintableText(one.name)), name_width), "  ",
                     PadRight(VerdictName(one.verdict), 9), "  ");
    const int room = options.width - 3 - DisplayWidth(before);
    const std::string what = style.Text(one.text);
    absl::StrAppend(
        &text, " ", style.Paint(style.Text(kSigns[static_cast<size_t>(one.verdict)]), color), " ",
        before, options.wide || room < 20 ? what : ShortenEnd(what, room, style.Ellipsis()), "\n");
  }
  return text;
}

std::string VerdictCounts(absl::Span<const SetSummary> summaries) {
  std::array<int64_t, 5> counts = {};
  for (const SetSummary& one : summaries) ++counts[static_cast<size_t>(one.verdict)];
  std::vector<std::string> parts;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      parts.push_back(absl::StrCat(counts[i], " ", VerdictName(static_cast<Verdict>(i))));
    }
  }
  return absl::StrJoin(parts, ", ");
}

std::string RenderSetsSummary(absl::Span<const SetSummary> sets, const TableOptions& options) {
  const TableStyle style(options);
  const Verdict overall = OverallVerdict(sets);
  return absl::StrCat(
      RenderSummaries(sets, options), "\n",
      LabelledLines(VerdictName(overall), TableStyle::ColorOf(overall),
                    absl::StrCat(Count(static_cast<int64_t>(sets.size()), "input set"), ": ",
                                 VerdictCounts(sets)),
                    options, style),
      "exit ", OverallExitStatus(sets), "\n");
}

}  // namespace onnxcmp

#include "reports/table/render_quantization.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/text/display_text.h"
#include "record/text/distinct_names.h"
#include "record/text/short_text.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {
namespace {

constexpr size_t kName = 2;  // the column that is shortened
constexpr int kLeastName = 12;
constexpr size_t kMadeBy = 1;
constexpr int kMostMadeBy = 10;

// The name of the layer's partner, else of its own result.
std::string NameOf(const Comparison& comparison, int partner, int result) {
  const SideId side = comparison.quantization->side;
  const StreamResult& named = partner == kNone
                                  ? OfSide(comparison, side).results[Index(result)]
                                  : OfSide(comparison, Other(side)).results[Index(partner)];
  return PrintableText(named.name);
}

std::string DecibelText(const std::optional<double>& decibels) {
  if (!decibels.has_value()) return "";
  return std::isinf(*decibels) ? (*decibels > 0 ? "exact" : "-inf")
                               : absl::StrFormat("%.1f", *decibels);
}

std::string BarePercentText(const std::optional<double>& share) {
  if (!share.has_value()) return "";
  const double percent = 100 * *share;
  return percent >= 10 ? absl::StrFormat("%.0f", percent) : absl::StrFormat("%.2g", percent);
}

std::string QuantParamsText(const QuantizedLayer& layer) {
  if (layer.dtype == DType::kUndefined) return "float";
  const std::string dtype = ShortDType(layer.dtype);
  if (layer.scales > 1) return absl::StrFormat("%s, %d scales", dtype, layer.scales);
  if (layer.zero_point == 0) return absl::StrFormat("%s %.3g", dtype, layer.scale);
  return absl::StrFormat("%s %.3g z%+.0f", dtype, layer.scale, layer.zero_point);
}

// States that no mistake was found in the layers that were examined.
std::string NoMistakes(const QuantizationReport& report) {
  std::vector<std::string> unknown;
  if (report.not_looked_at > 0) {
    unknown.push_back(absl::StrCat(
        Count(report.not_looked_at, "layer"),
        " of packed weights or a bias of integers, which are like no constant of the other side"));
  }
  const int64_t strangers =
      std::count_if(report.layers.begin(), report.layers.end(),
                    [](const QuantizedLayer& layer) { return layer.partner == kNone; });
  if (strangers > 0) {
    unknown.push_back(
        absl::StrCat(Count(strangers, "layer"), " that nothing of the other side stands for"));
  }
  if (unknown.empty()) return "none: scales, zero points and axes fit the values";
  return absl::StrCat("none found, and little can be said of ", absl::StrJoin(unknown, ", of "));
}

}  // namespace

std::vector<std::string> QuantizationColumns() {
  return {"output", "layer",   "result", "scale", "used %",
          "ends %", "weights", "own",    "SQNR",  "cosine"};
}

std::vector<std::string> QuantizationCells(const Comparison& comparison,
                                           const QuantizedLayer& layer) {
  return {layer.cost.has_value() ? TwoDigits(*layer.cost) : "",
          PrintableText(layer.made_by),
          NameOf(comparison, layer.partner, layer.result),
          QuantParamsText(layer),
          BarePercentText(layer.used),
          BarePercentText(layer.saturated),
          DecibelText(layer.weights_sqnr),
          layer.partner == kNone ? "no partner" : DecibelText(layer.own_sqnr),
          DecibelText(layer.sqnr),
          layer.cosine.has_value() ? absl::StrFormat("%.5f", *layer.cosine) : ""};
}

std::vector<std::string> QuantizationText(const Comparison& comparison) {
  const QuantizationReport& report = *comparison.quantization;
  const absl::string_view side = SideName(report.side);
  const absl::string_view other = SideName(Other(report.side));
  std::vector<std::string> lines;
  std::string what = absl::StrFormat(
      "%s of the %s; output: how far the %s's outputs move, of their size, with this layer's own "
      "error alone; own: SQNR in dB given the %s's values; SQNR: as both ran",
      Count(static_cast<int64_t>(report.layers.size()), "quantized layer"), side, other, other);
  if (report.both) {
    absl::StrAppend(&what, "; both sides are quantized: the ", other,
                    "'s values are dequantized for this");
  }
  lines.push_back(std::move(what));
  if (report.output_error.has_value()) {
    lines.push_back(absl::StrFormat(
        "all together: the outputs are %s of their size apart, SQNR %s dB",
        TwoDigits(*report.output_error), DecibelText(-20 * std::log10(*report.output_error))));
  }
  return lines;
}

std::string RenderQuantization(const Comparison& comparison, const TableOptions& options,
                               const TableStyle& style) {
  const QuantizationReport& report = *comparison.quantization;
  const bool all = options.rows == TableOptions::Rows::kAll;
  size_t shown = report.layers.size();
  if (!all && shown > size_t{work_bounds::kLongList} + 1) shown = size_t{work_bounds::kLongList};
  std::vector<std::vector<std::string>> rows = {QuantizationColumns()};
  std::vector<const QuantizedLayer*> layers = {nullptr};
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const QuantizedLayer& layer = report.layers[i];
    // Layers with mistakes are always shown.
    if (i >= shown && layer.mistake.empty()) continue;
    rows.push_back(QuantizationCells(comparison, layer));
    layers.push_back(&layer);
  }
  std::vector<int> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], DisplayWidth(style.Text(row[c])));
    }
  }
  if (!options.wide) widths[kMadeBy] = std::min(widths[kMadeBy], kMostMadeBy);
  int total = 1;
  for (const int width : widths) total += width + 2;
  if (!options.wide && total > options.width) {
    widths[kName] = std::max(kLeastName, widths[kName] - (total - options.width));
  }
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(style.Text(row[kName]));
  names = ShortenApart(names, widths[kName], style.Ellipsis());
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool wrong = layers[i] != nullptr && !layers[i]->mistake.empty();
    std::string line =
        wrong ? absl::StrCat(" ", style.Paint(style.Sign(Relation::kDifferent), Color::kBad), " ")
              : "   ";
    for (size_t c = 0; c < rows[i].size(); ++c) {
      std::string cell = c == kName ? names[i] : style.Text(rows[i][c]);
      if (c == kMadeBy) cell = ShortenEnd(cell, widths[c], style.Ellipsis());
      const bool is_text = c >= 1 && c <= 3;
      absl::StrAppend(&line, is_text ? PadRight(cell, widths[c]) : PadLeft(cell, widths[c]), "  ");
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  if (rows.size() - 1 < report.layers.size()) {
    absl::StrAppend(&text,
                    style.Text(absl::StrCat("   … ", report.layers.size() - rows.size() + 1,
                                            " more layers (--all shows)")),
                    "\n");
  }
  text += "\n";
  absl::string_view label = "layers";
  for (const std::string& line : QuantizationText(comparison)) {
    text += LabelledLines(std::exchange(label, ""), Color::kPlain, line, options, style);
  }
  label = "mistakes";
  if (report.mistakes.empty()) {
    const std::string none = NoMistakes(report);
    text += LabelledLines(label, Color::kPlain, none, options, style);
  }
  const ResultStream& stream = OfSide(comparison, report.side);
  for (const QuantizationMistake& mistake : report.mistakes) {
    text += LabelledLines(std::exchange(label, ""), Color::kBad,
                          absl::StrCat(PrintableText(stream.results[Index(mistake.result)].name),
                                       ": ", PrintableText(mistake.text)),
                          options, style);
  }
  label = "note";
  for (const std::string& note : report.notes) {
    text +=
        LabelledLines(std::exchange(label, ""), Color::kPlain, PrintableText(note), options, style);
  }
  return text;
}

}  // namespace onnxcmp

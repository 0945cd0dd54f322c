// One page without scripts: the headline, outputs, worst samples, each layer with its distribution.
#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "record/differences/infinity.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"
#include "record/text/short_text.h"
#include "samples/render_samples.h"
#include "samples/samples_words.h"

namespace onnxcmp {
namespace {

constexpr size_t kWorstOnPage = 8;
constexpr double kChartWidth = 240, kChartHeight = 34;

constexpr char kStyle[] =
    ":root{color-scheme:light dark}body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;"
    "max-width:1300px;padding:0 1rem}h1{font-size:1.25rem}h2{font-size:1.05rem;margin-top:2rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .7rem .2rem 0;text-align:left;"
    "vertical-align:middle}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "code{font-size:.9em}.bad{color:#b3261e}.good{color:#1b6e3c}svg rect{fill:#3b6fb6}"
    "svg rect.far{fill:#b3261e}svg text{font-size:9px;fill:currentColor}"
    "tr:nth-child(even){background:color-mix(in srgb,currentColor 5%,transparent)}"
    "@media(prefers-color-scheme:dark){.bad{color:#ff8a80}.good{color:#7bd69c}}"
    "@media print{body{margin:0}tr{break-inside:avoid}}";

std::string Escaped(const std::string& text) { return EscapedMarkup(PrintableText(text)); }

// Bars of samples by decibels; those that are far worse in another color.
std::string Histogram(const Spread& spread, int64_t least, int64_t most, double far) {
  int64_t highest = 1;
  for (const auto& [bin, count] : spread.bins()) highest = std::max(highest, count);
  const double width = kChartWidth / static_cast<double>(most - least + 1);
  std::string bars;
  for (const auto& [bin, count] : spread.bins()) {
    const double height = kChartHeight * static_cast<double>(count) / static_cast<double>(highest);
    absl::StrAppend(&bars,
                    absl::StrFormat("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                                    "height=\"%.1f\"><title>%d dB: %d</title></rect>",
                                    static_cast<double>(bin) < far ? "far" : "",
                                    static_cast<double>(bin - least) * width, kChartHeight - height,
                                    std::max(width - 0.5, 0.5), height, bin, count));
  }
  return absl::StrFormat(
      "<svg role=\"img\" aria-label=\"samples by decibels, %d to %d\" width=\"%.0f\" "
      "height=\"%.0f\">%s<text x=\"0\" y=\"%.0f\">%d dB</text><text x=\"%.0f\" y=\"%.0f\" "
      "text-anchor=\"end\">%d</text></svg>",
      least, most, kChartWidth, kChartHeight + 11, bars, kChartHeight + 10, least, kChartWidth,
      kChartHeight + 10, most);
}

void AddLayers(const SamplesReport& report, std::string* page) {
  int64_t least = 0, most = 1;
  bool any = false;
  for (const SampledLayer& layer : report.layers) {
    const auto& bins = layer.figures.sqnr.bins();
    if (bins.empty()) continue;
    least = any ? std::min(least, bins.begin()->first) : bins.begin()->first;
    most = any ? std::max(most, bins.rbegin()->first) : bins.rbegin()->first;
    any = true;
  }
  absl::StrAppend(page, "<h2>Layers</h2><p>", report.layers.size(), " differ, ",
                  report.equal_layers, " have the same bits on all samples.</p>");
  if (report.layers.empty()) return;
  absl::StrAppend(page,
                  "<table><thead><tr><th>operator</th><th>result</th><th class=\"n\">SQNR dB</th>"
                  "<th class=\"n\">±</th><th class=\"n\">worst</th><th>on sample</th>"
                  "<th class=\"n\">lost dB</th><th class=\"n\">cost</th><th>samples by dB</th>"
                  "</tr></thead><tbody>");
  for (const SampledLayer& layer : report.layers) {
    const Spread& sqnr = layer.figures.sqnr;
    absl::StrAppend(page, "<tr><td>", Escaped(layer.op_type), "</td><td>", Escaped(layer.right),
                    "</td>");
    if (sqnr.count() == 0) {
      absl::StrAppend(page, "<td colspan=\"7\">other shapes on ", layer.figures.unlike,
                      " samples</td></tr>");
      continue;
    }
    const double far = layer.outlier ? *sqnr.median() - kFarWorse : -kInfinity;
    absl::StrAppend(
        page, "<td class=\"n\">", Decibels(sqnr.mean()), "</td><td class=\"n\">",
        absl::StrFormat("%.1f", sqnr.deviation()), "</td><td class=\"n\">",
        Decibels(sqnr.least()->figure), "</td><td>",
        Escaped(report.names[static_cast<size_t>(sqnr.least()->sample)]), "</td><td class=\"n\">",
        !layer.lost.has_value() ? ""
        : layer.begins          ? "begins"
                                : absl::StrFormat("%.1f", *layer.lost),
        "</td><td class=\"n\">", layer.cost.count() > 0 ? PercentText(layer.cost.mean()) : "",
        "</td><td>", Histogram(sqnr, least, most, far));
    const std::string remark = CellsOf(report, layer).remark;
    if (!remark.empty()) {
      absl::StrAppend(page, "<br><span class=\"bad\">", Escaped(remark), "</span>");
    }
    absl::StrAppend(page, "</td></tr>");
  }
  absl::StrAppend(page, "</tbody></table>");
}

void AddSensitivity(const SensitivityReport& found, std::string* page) {
  absl::StrAppend(page, "<h2>Layers to keep in float</h2>");
  for (const std::string& line : SensitivityLines(found)) {
    absl::StrAppend(page, "<p>", Escaped(line), "</p>");
  }
  if (found.layers.empty()) return;
  absl::StrAppend(page,
                  "<table><thead><tr><th class=\"n\">alone in float</th><th class=\"n\">alone "
                  "converted</th><th class=\"n\">all up to it in float</th><th>layer</th></tr>"
                  "</thead><tbody>");
  for (size_t i = 0; i < found.layers.size(); ++i) {
    const std::vector<std::string> cells = SensitiveCells(found, i);
    absl::StrAppend(page, "<tr><td class=\"n\">", cells[0], "</td><td class=\"n\">", cells[1],
                    "</td><td class=\"n\">", cells[2], "</td><td>", Escaped(cells[3]),
                    "</td></tr>");
  }
  absl::StrAppend(page, "</tbody></table>");
}

}  // namespace

std::string RenderSamplesHtml(const SamplesReport& report, const std::string& command) {
  const int status = report.ExitStatus();
  std::string page = absl::StrCat(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>onnxcmp: ",
      Escaped(SamplesHeadline(report)), "</title><style>", kStyle,
      "</style></head><body><main><h1 class=\"", status == 0 ? "good" : "bad", "\">",
      Escaped(SamplesHeadline(report)), "</h1><p>", Escaped(report.sources.left), " | ",
      Escaped(report.sources.right), "<br>", Escaped(report.path), ": ", report.outcomes.size(),
      " of ", Count(report.given, "sample"), " compared</p>");
  for (const FailIfResult& one : report.conditions) {
    absl::StrAppend(
        &page, "<p class=\"", one.fails ? "bad" : "good", "\">", Escaped(one.condition.Text()),
        one.fails ? " fails: " : " does not fail: ", absl::StrFormat("%.6g", one.figure), "</p>");
  }
  for (size_t i = 0; i < report.causes.size(); ++i) {
    absl::StrAppend(&page, "<p><b>", CauseName(i), "</b> ", Escaped(report.causes[i]), "</p>");
  }
  for (const std::string& line : FigureLines(report)) {
    absl::StrAppend(&page, "<p>", Escaped(line), "</p>");
  }
  for (const FailedSample& failed : report.failed) {
    absl::StrAppend(&page, "<p class=\"bad\">",
                    Escaped(report.names[static_cast<size_t>(failed.sample)]),
                    " failed: ", Escaped(failed.why), "</p>");
  }
  const std::vector<SampleOutcome> worst = WorstSamples(report, kWorstOnPage);
  if (!worst.empty()) {
    absl::StrAppend(&page, "<h2>Worst samples</h2><ol>");
    for (const SampleOutcome& outcome : worst) {
      absl::StrAppend(&page, "<li>", Escaped(report.names[static_cast<size_t>(outcome.sample)]),
                      ": ", Decibels(outcome.sqnr), " dB",
                      outcome.alike ? "" : ", decided otherwise", "</li>");
    }
    absl::StrAppend(&page, "</ol><p>Alone: <code>",
                    Escaped(CompareAlone(report, command, worst[0].sample)), "</code></p>");
  }
  if (report.sensitivity.has_value()) AddSensitivity(*report.sensitivity, &page);
  if (!report.outcomes.empty()) AddLayers(report, &page);
  return absl::StrCat(page, "</main></body></html>\n");
}

}  // namespace onnxcmp

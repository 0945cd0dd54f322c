#include "samples/render_samples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "record/differences/infinity.h"
#include "record/text/display_text.h"
#include "record/text/distinct_names.h"
#include "record/text/markup.h"
#include "record/text/short_text.h"
#include "reports/junit_suite.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"
#include "samples/samples_words.h"

namespace onnxcmp {
namespace {

constexpr size_t kWorstShown = 5;
constexpr size_t kCausesShown = 2;
constexpr size_t kLayersShown = 20;
constexpr int kNumberWidth = 8;
constexpr int kSampleWidth = 12;
constexpr int kOperatorWidth = 20;

class Report {
 public:
  Report(const SamplesReport& report, const std::string& command, const TableOptions& look)
      : report_(report), command_(command), look_(look), style_(look) {}

  std::string Render() const {
    std::string text;
    const int status = report_.ExitStatus();
    Add(status == 0   ? "agree"
        : status == 1 ? "different"
                      : "failed",
        status == 0 ? Color::kGood : Color::kBad, SamplesHeadline(report_), &text);
    for (const FailIfResult& condition : report_.conditions) {
      Add(condition.fails ? "fails" : "holds", condition.fails ? Color::kBad : Color::kGood,
          absl::StrCat("--fail-if ", condition.condition.Text(), ": it is ",
                       absl::StrFormat("%.6g", condition.figure)),
          &text);
    }
    for (const SideId side : kBothSides) {
      Add(std::string(SideName(side)), Color::kBold, report_.sources[side], &text);
    }
    Add("samples", Color::kBold, Samples(), &text);
    for (const std::string& note : report_.notes) Add("note", Color::kNear, note, &text);
    for (const std::string& line : FigureLines(report_)) Add("output", Color::kBold, line, &text);
    AddCauses(&text);
    AddFailed(&text);
    AddWorst(&text);
    AddLayers(&text);
    if (report_.sensitivity.has_value()) AddSensitivity(*report_.sensitivity, &text);
    return absl::StrCat(text, "\nexit ", status, "\n");
  }

 private:
  void Add(const std::string& label, Color color, const std::string& line,
           std::string* text) const {
    absl::StrAppend(text, LabelledLines(label, color, line, look_, style_));
  }

  std::string Samples() const {
    const auto compared = static_cast<int64_t>(report_.outcomes.size());
    std::string text = absl::StrCat(report_.path, ": ", compared, " of ",
                                    Count(report_.given, "sample"), " compared");
    if (!report_.failed.empty()) absl::StrAppend(&text, ", ", report_.failed.size(), " failed");
    if (report_.interrupted) absl::StrAppend(&text, "; interrupted");
    const auto different =
        std::count_if(report_.outcomes.begin(), report_.outcomes.end(),
                      [](const SampleOutcome& outcome) { return !outcome.agrees; });
    absl::StrAppend(&text, "; outputs differ on ", different);
    return text;
  }

  // Of the first sample.
  void AddCauses(std::string* text) const {
    for (size_t i = 0; i < std::min(report_.causes.size(), kCausesShown); ++i) {
      Add(CauseName(i), Color::kBad, report_.causes[i], text);
    }
  }

  void AddFailed(std::string* text) const {
    for (size_t i = 0; i < std::min(report_.failed.size(), kWorstShown); ++i) {
      const FailedSample& failed = report_.failed[i];
      Add("failed", Color::kBad,
          absl::StrCat(report_.names[static_cast<size_t>(failed.sample)], ": ", failed.why), text);
    }
    if (report_.failed.size() > kWorstShown) {
      Add("", Color::kPlain, absl::StrCat("and ", report_.failed.size() - kWorstShown, " more"),
          text);
    }
  }

  void AddWorst(std::string* text) const {
    const std::vector<SampleOutcome> worst = WorstSamples(report_, kWorstShown);
    if (worst.empty()) return;
    absl::StrAppend(text, "\n");
    std::string label = "worst";
    for (const SampleOutcome& outcome : worst) {
      Add(label, Color::kBold,
          absl::StrCat(report_.names[static_cast<size_t>(outcome.sample)], ": ",
                       Decibels(outcome.sqnr), outcome.sqnr == kInfinity ? "" : " dB",
                       outcome.alike ? "" : ", decided otherwise",
                       outcome.agrees ? "" : ", different"),
          text);
      label.clear();
    }
    Add("alone", Color::kBold, CompareAlone(report_, command_, worst[0].sample), text);
  }

  void AddLayers(std::string* text) const {
    if (report_.outcomes.empty()) return;
    absl::StrAppend(text, "\n");
    if (report_.layers.empty()) {
      Add("layers", Color::kBold,
          absl::StrCat(report_.equal_layers, " pairs have the same bits on all samples"), text);
      return;
    }
    const bool costs = report_.costed > 0;
    Add("layers", Color::kBold,
        absl::StrCat(report_.layers.size(), " differ, ", report_.equal_layers, " do not; ",
                     costs ? absl::StrCat("by their cost at the outputs (",
                                          Count(report_.costed, "sample"), ")")
                           : std::string("by the decibels that are lost in them")),
        text);
    std::string head = absl::StrCat(
        "  ", PadLeft("SQNR", kNumberWidth), PadLeft("±", kNumberWidth),
        PadLeft("worst", kNumberWidth), "  ", PadRight("on sample", kSampleWidth),
        PadLeft("lost dB", kNumberWidth), PadLeft(costs ? "cost" : "", kNumberWidth + 1),
        PadLeft("cosine", kNumberWidth), PadLeft("max", kNumberWidth), "  ",
        PadRight("operator", kOperatorWidth), "result");
    absl::StrAppend(text, style_.Paint(style_.Text(head), Color::kDim), "\n");
    const size_t shown = Shown(report_.layers.size());
    std::vector<std::string> samples, names;
    for (size_t i = 0; i < shown; ++i) {
      samples.push_back(style_.Text(CellsOf(report_, report_.layers[i]).worst_sample));
      names.push_back(style_.Text(report_.layers[i].right));
    }
    samples = ShortenApart(samples, kSampleWidth - 1, style_.Ellipsis());
    const int before = 3 + 7 * kNumberWidth + 2 + kSampleWidth + 2 + kOperatorWidth;
    if (!look_.wide) {
      names = ShortenApart(names, std::max(look_.width - before, kSampleWidth), style_.Ellipsis());
    }
    for (size_t i = 0; i < shown; ++i) {
      const SampledLayer& layer = report_.layers[i];
      const LayerCells cells = CellsOf(report_, layer);
      std::string line = absl::StrCat(
          layer.outlier ? "! " : "  ", PadLeft(cells.mean, kNumberWidth),
          PadLeft(cells.deviation, kNumberWidth), PadLeft(cells.worst, kNumberWidth), "  ",
          PadRight(samples[i], kSampleWidth), PadLeft(cells.lost, kNumberWidth),
          PadLeft(cells.cost, kNumberWidth), PadLeft(cells.cosine, kNumberWidth),
          PadLeft(cells.most, kNumberWidth), "  ",
          PadRight(ShortenEnd(style_.Text(layer.op_type), kOperatorWidth - 1, style_.Ellipsis()),
                   kOperatorWidth),
          names[i]);
      absl::StrAppend(text, absl::StripTrailingAsciiWhitespace(line), "\n");
      if (!cells.remark.empty()) {
        absl::StrAppend(text, std::string(static_cast<size_t>(before - kOperatorWidth), ' '),
                        style_.Paint(style_.Text(cells.remark), Color::kNear), "\n");
      }
    }
    AddMore(report_.layers.size(), text);
  }

  void AddSensitivity(const SensitivityReport& found, std::string* text) const {
    absl::StrAppend(text, "\n");
    std::string label = "in float";
    for (const std::string& line : SensitivityLines(found)) {
      Add(label, Color::kBold, line, text);
      label.clear();
    }
    if (found.layers.empty()) return;
    const std::string head = absl::StrCat(
        "  ", PadLeft("in float", kNumberWidth), PadLeft("converted", kNumberWidth + 2),
        PadLeft("up to it", kNumberWidth), "  layer, alone; then all up to it in float");
    absl::StrAppend(text, style_.Paint(style_.Text(head), Color::kDim), "\n");
    for (size_t i = 0; i < Shown(found.layers.size()); ++i) {
      const std::vector<std::string> cells = SensitiveCells(found, i);
      const bool kept = std::find(found.keep.begin(), found.keep.end(), i) != found.keep.end();
      absl::StrAppend(text, kept ? "* " : "  ", PadLeft(cells[0], kNumberWidth),
                      PadLeft(cells[1], kNumberWidth + 2), PadLeft(cells[2], kNumberWidth), "  ",
                      style_.Text(cells[3]), "\n");
    }
    AddMore(found.layers.size(), text);
  }

  size_t Shown(size_t all) const {
    return look_.rows == TableOptions::Rows::kFolded ? std::min(all, kLayersShown) : all;
  }
  void AddMore(size_t all, std::string* text) const {
    if (Shown(all) < all) absl::StrAppend(text, "  ", all - Shown(all), " more with --all\n");
  }

  const SamplesReport& report_;
  const std::string& command_;
  const TableOptions& look_;
  const TableStyle style_;
};

std::string CsvCell(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string CsvNumber(double number) {
  return std::isnan(number) ? "nan" : absl::StrFormat("%.9g", number);
}

}  // namespace

std::string RenderSamples(const SamplesReport& report, const std::string& command,
                          const TableOptions& look) {
  return Report(report, command, look).Render();
}

std::string RenderSamplesMarkdown(const SamplesReport& report, const std::string& command) {
  std::string text = absl::StrCat("**", EscapedMarkdown(SamplesHeadline(report)), "**\n\n");
  for (const FailIfResult& condition : report.conditions) {
    absl::StrAppend(&text, "- `", condition.condition.Text(), "` ",
                    condition.fails ? "fails" : "does not fail", ": ",
                    absl::StrFormat("%.6g", condition.figure), "\n");
  }
  for (const std::string& line : FigureLines(report)) {
    absl::StrAppend(&text, "- ", EscapedMarkdown(line), "\n");
  }
  for (const FailedSample& failed : report.failed) {
    absl::StrAppend(&text, "- failed: ",
                    EscapedMarkdown(absl::StrCat(report.names[static_cast<size_t>(failed.sample)],
                                                 ": ", failed.why)),
                    "\n");
  }
  const std::vector<SampleOutcome> worst = WorstSamples(report, kWorstShown);
  if (!worst.empty()) {
    absl::StrAppend(&text, "\n| worst sample | SQNR dB | compared alone |\n|---|---|---|\n");
    for (const SampleOutcome& outcome : worst) {
      absl::StrAppend(&text, "| ",
                      EscapedMarkdown(report.names[static_cast<size_t>(outcome.sample)]), " | ",
                      Decibels(outcome.sqnr), " | `",
                      EscapedMarkdown(CompareAlone(report, command, outcome.sample)), "` |\n");
    }
  }
  if (!report.layers.empty()) {
    absl::StrAppend(&text,
                    "\n| operator | result | SQNR dB | ± | worst | on sample | lost dB | cost | "
                    "remark |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < std::min(report.layers.size(), kLayersShown); ++i) {
      const SampledLayer& layer = report.layers[i];
      const LayerCells cells = CellsOf(report, layer);
      absl::StrAppend(&text, "| ", EscapedMarkdown(layer.op_type), " | ",
                      EscapedMarkdown(layer.right), " | ", cells.mean, " | ", cells.deviation,
                      " | ", cells.worst, " | ", EscapedMarkdown(cells.worst_sample), " | ",
                      cells.lost, " | ", cells.cost, " | ", EscapedMarkdown(cells.remark), " |\n");
    }
  }
  if (report.sensitivity.has_value()) {
    absl::StrAppend(&text, "\n");
    for (const std::string& line : SensitivityLines(*report.sensitivity)) {
      absl::StrAppend(&text, "- ", EscapedMarkdown(line), "\n");
    }
    if (!report.sensitivity->layers.empty()) {
      absl::StrAppend(&text,
                      "\n| alone in float | alone converted | up to it in float | layer "
                      "|\n|---|---|---|---|\n");
    }
    for (size_t i = 0; i < std::min(report.sensitivity->layers.size(), kLayersShown); ++i) {
      const std::vector<std::string> cells = SensitiveCells(*report.sensitivity, i);
      absl::StrAppend(&text, "| ", cells[0], " | ", cells[1], " | ", cells[2], " | ",
                      EscapedMarkdown(cells[3]), " |\n");
    }
  }
  return text;
}

std::string RenderSamplesCsv(const SamplesReport& report) {
  std::string text =
      "result,left_result,operator,sqnr_mean,sqnr_deviation,sqnr_worst,worst_sample,sqnr_pooled,"
      "cosine,max,lost,cost,saturated,outlier,not_finite,unlike\n";
  for (const SampledLayer& layer : report.layers) {
    const LayerFigures& figures = layer.figures;
    const bool any = figures.sqnr.count() > 0;
    absl::StrAppend(
        &text, CsvCell(layer.right), ",", CsvCell(layer.left), ",", CsvCell(layer.op_type), ",",
        any ? CsvNumber(figures.sqnr.mean()) : "", ",",
        any ? CsvNumber(figures.sqnr.deviation()) : "", ",",
        any ? CsvNumber(figures.sqnr.least()->figure) : "", ",",
        any ? CsvCell(report.names[static_cast<size_t>(figures.sqnr.least()->sample)]) : "", ",",
        any ? CsvNumber(figures.pooled()) : "", ",",
        figures.cosine.count() > 0 ? CsvNumber(figures.cosine.mean()) : "", ",",
        any ? CsvNumber(figures.most.most()->figure) : "", ",",
        layer.lost.has_value() ? CsvNumber(*layer.lost) : "", ",",
        layer.cost.count() > 0 ? CsvNumber(layer.cost.mean()) : "", ",",
        figures.saturated.count() > 0 ? CsvNumber(figures.saturated.mean()) : "", ",",
        layer.outlier ? "1" : "0", ",", figures.not_finite, ",", figures.unlike, "\n");
  }
  return text;
}

std::string RenderSamplesJunit(const SamplesReport& report) {
  JunitSuite suite;
  for (const SampleOutcome& outcome : report.outcomes) {
    const bool fails = !outcome.agrees && report.conditions.empty();
    suite.Add("samples", report.names[static_cast<size_t>(outcome.sample)], fails ? "failure" : "",
              fails ? "the outputs differ" : "",
              fails ? absl::StrCat("SQNR ", Decibels(outcome.sqnr), " dB") : "");
  }
  for (const FailedSample& failed : report.failed) {
    suite.Add("samples", report.names[static_cast<size_t>(failed.sample)], "error",
              "it was not compared", failed.why);
  }
  for (const FailIfResult& condition : report.conditions) {
    suite.Add(
        "conditions", condition.condition.Text(), condition.fails ? "failure" : "",
        condition.fails ? absl::StrCat("it is ", absl::StrFormat("%.6g", condition.figure)) : "",
        "");
  }
  return suite.Take("onnxcmp samples", SamplesHeadline(report));
}

}  // namespace onnxcmp

// Words of all reports on samples, and the exit status.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "record/differences/infinity.h"
#include "record/text/short_text.h"
#include "samples/render_samples.h"

namespace onnxcmp {
namespace {

std::string Decibels(double sqnr) {
  return sqnr == kInfinity ? "no noise" : absl::StrCat(TwoDigits(sqnr), " dB");
}

int64_t Different(const SamplesReport& report) {
  return std::count_if(report.outcomes.begin(), report.outcomes.end(),
                       [](const SampleOutcome& outcome) { return !outcome.agrees; });
}

}  // namespace

int SamplesReport::ExitStatus() const {
  if (outcomes.empty()) return 2;
  const bool fails =
      conditions.empty()
          ? Different(*this) > 0
          : std::any_of(conditions.begin(), conditions.end(),
                        [](const FailIfResult& condition) { return condition.fails; });
  if (fails) return 1;
  return failed.empty() && !interrupted ? 0 : 2;
}

std::vector<std::pair<std::string, std::map<std::string, double>>> FiguresByOutput(
    const SamplesReport& report) {
  std::vector<std::pair<std::string, std::map<std::string, double>>> all;
  const auto compared = static_cast<double>(report.outcomes.size());
  std::map<std::string, double>& of_all = all.emplace_back().second;
  of_all["failed"] = static_cast<double>(report.failed.size());
  if (compared > 0) of_all["different"] = static_cast<double>(Different(report)) / compared;
  for (const SampledOutput& output : report.outputs) {
    std::map<std::string, double> figures;
    if (output.task.has_value()) figures = output.task->Figures();
    const LayerFigures& numbers = output.figures;
    if (numbers.sqnr.count() > 0) {
      figures["sqnr"] = numbers.not_finite > 0 ? -kInfinity : numbers.pooled();
      figures["sqnr_worst"] = numbers.not_finite > 0 ? -kInfinity : numbers.sqnr.least()->figure;
      figures["max"] = numbers.most.most()->figure;
    }
    if (numbers.cosine.count() > 0) figures["cosine"] = numbers.cosine.mean();
    if (!figures.empty()) all.emplace_back(output.left, std::move(figures));
  }
  return all;
}

std::vector<SampleOutcome> WorstSamples(const SamplesReport& report, size_t most) {
  std::vector<SampleOutcome> worst = report.outcomes;
  std::erase_if(worst, [](const SampleOutcome& outcome) {
    return outcome.agrees && outcome.alike && outcome.sqnr == kInfinity;
  });
  std::stable_sort(worst.begin(), worst.end(),
                   [](const SampleOutcome& a, const SampleOutcome& b) { return a.sqnr < b.sqnr; });
  if (worst.size() > most) worst.resize(most);
  return worst;
}

std::string SamplesHeadline(const SamplesReport& report) {
  if (report.outcomes.empty()) {
    return absl::StrCat("nothing was compared: all ", Count(report.given, "sample"), " failed");
  }
  const auto compared = static_cast<int64_t>(report.outcomes.size());
  std::vector<std::string> parts;
  for (const SampledOutput& output : report.outputs) {
    if (!output.task.has_value()) continue;
    const std::string of = report.outputs.size() > 1 ? absl::StrCat(" of ", output.left) : "";
    const std::map<std::string, double> figures = output.task->Figures();
    const int64_t decisions = output.task->decisions();
    if (figures.contains("f1")) {
      parts.push_back(
          absl::StrCat("boxes", of, " agree with F1 ", absl::StrFormat("%.3f", figures.at("f1"))));
    } else if (figures.contains("top1")) {
      parts.push_back(absl::StrCat("top-1", of, " agrees on ", output.task->alike(), " of ",
                                   decisions, decisions == compared ? " samples" : " decisions"));
    } else if (figures.contains("equal")) {
      parts.push_back(absl::StrCat(output.task->alike(), " of ", decisions, " ids", of, " agree"));
    } else if (figures.contains("r2")) {
      parts.push_back(absl::StrCat("R2", of, " ", absl::StrFormat("%.4f", figures.at("r2"))));
    }
    if (figures.contains("miou")) {
      parts.push_back(absl::StrCat("mean IoU ", absl::StrFormat("%.3f", figures.at("miou"))));
    }
    if (output.figures.sqnr.count() > 0) {
      parts.push_back(output.figures.pooled() == kInfinity
                          ? "no difference"
                          : absl::StrCat("SQNR ", Decibels(output.figures.pooled())));
    }
  }
  if (parts.empty()) {
    const int64_t different = Different(report);
    parts.push_back(
        absl::StrCat(compared - different, " of ", Count(compared, "sample"), " agree"));
  }
  std::string text = absl::StrJoin(parts, ", ");
  const std::vector<SampleOutcome> worst = WorstSamples(report, 1);
  if (!worst.empty()) {
    absl::StrAppend(&text, "; worst sample ", report.names[static_cast<size_t>(worst[0].sample)],
                    " with ", Decibels(worst[0].sqnr));
  }
  return text;
}

}  // namespace onnxcmp

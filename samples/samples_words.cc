// Words of all reports on samples, and the exit status.
#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "record/differences/infinity.h"
#include "record/text/short_text.h"
#include "samples/samples_words.h"

namespace onnxcmp {
namespace {

std::string WithUnit(double sqnr) {
  return sqnr == kInfinity ? "no noise" : absl::StrCat(TwoDigits(sqnr), " dB");
}

int64_t Different(const SamplesReport& report) {
  return std::count_if(report.outcomes.begin(), report.outcomes.end(),
                       [](const SampleOutcome& outcome) { return !outcome.agrees; });
}

std::string Figure(double figure) { return absl::StrFormat("%.4g", figure); }

}  // namespace

int SamplesReport::ExitStatus() const {
  if (outcomes.empty()) return 2;
  const bool other_shapes =
      std::any_of(outcomes.begin(), outcomes.end(),
                  [](const SampleOutcome& outcome) { return outcome.other_shapes; });
  const bool fails =
      conditions.empty() || other_shapes
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
                          : absl::StrCat("SQNR ", WithUnit(output.figures.pooled())));
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
                    " with ", WithUnit(worst[0].sqnr));
  }
  return text;
}

std::string Decibels(double sqnr) {
  return sqnr == kInfinity ? "equal" : sqnr == -kInfinity ? "lost" : absl::StrFormat("%.1f", sqnr);
}

std::string CauseName(size_t cause) {
  return cause == 0 ? "cause" : absl::StrCat("cause ", cause + 1);
}

LayerCells CellsOf(const SamplesReport& report, const SampledLayer& layer) {
  const LayerFigures& figures = layer.figures;
  LayerCells cells;
  if (layer.cost.count() > 0) cells.cost = PercentText(layer.cost.mean());
  if (layer.lost.has_value()) {
    cells.lost = layer.begins ? "begins" : absl::StrFormat("%.1f", *layer.lost);
  }
  if (figures.sqnr.count() > 0) {
    cells.mean = Decibels(figures.sqnr.mean());
    cells.deviation =
        figures.sqnr.finite() > 0 ? absl::StrFormat("%.1f", figures.sqnr.deviation()) : "";
    cells.worst = Decibels(figures.sqnr.least()->figure);
    cells.worst_sample = report.names[static_cast<size_t>(figures.sqnr.least()->sample)];
    cells.most = TwoDigits(figures.most.most()->figure);
  }
  if (figures.cosine.count() > 0) cells.cosine = absl::StrFormat("%.5f", figures.cosine.mean());
  std::vector<std::string> remarks;
  if (layer.cause.has_value()) {
    remarks.push_back(CauseName(*layer.cause));
  } else if (!layer.mistake.empty()) {
    remarks.push_back(layer.mistake);
  }
  if (layer.outlier) {
    remarks.push_back(absl::StrCat("far worse on ", Count(layer.far_worse, "sample")));
  }
  if (figures.saturated.count() > 0 && figures.saturated.most()->figure > 0.01) {
    remarks.push_back(absl::StrCat("up to ", PercentText(figures.saturated.most()->figure),
                                   " at the range's ends"));
  }
  if (figures.not_finite > 0) {
    remarks.push_back(absl::StrCat("not finite on ", Count(figures.not_finite, "sample")));
  }
  if (figures.unlike > 0) {
    remarks.push_back(absl::StrCat("other shapes on ", Count(figures.unlike, "sample")));
  }
  cells.remark = absl::StrJoin(remarks, "; ");
  return cells;
}

std::string CompareAlone(const SamplesReport& report, const std::string& command, int64_t sample) {
  const std::string& name = report.names[static_cast<size_t>(sample)];
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '_' ||
           c == '-';
  });
  return absl::StrCat(command, " --sample ", plain ? name : absl::StrCat("'", name, "'"));
}

std::vector<std::string> FigureLines(const SamplesReport& report) {
  std::vector<std::string> lines;
  for (const SampledOutput& output : report.outputs) {
    std::vector<std::string> parts;
    const std::map<std::string, double> figures =
        output.task.has_value() ? output.task->Figures() : std::map<std::string, double>();
    for (const auto& [name, figure] : figures) {
      parts.push_back(absl::StrCat(name, " ", absl::StrFormat("%.4g", figure)));
    }
    if (output.figures.sqnr.count() > 0) {
      parts.push_back(absl::StrCat("sqnr ", Decibels(output.figures.pooled()), " dB"));
      parts.push_back(absl::StrCat("max ", TwoDigits(output.figures.most.most()->figure)));
    }
    lines.push_back(absl::StrCat(output.left, ", taken for ",
                                 output.taken_for.empty() ? "no numbers" : output.taken_for, ": ",
                                 absl::StrJoin(parts, ", ")));
    if (output.task.has_value() && output.task->labelled() > 0 && figures.contains("p")) {
      lines.push_back(absl::StrCat(
          "accuracy ", absl::StrFormat("%.4f", figures.at("accuracy_left")), " | ",
          absl::StrFormat("%.4f", figures.at("accuracy_right")), ": the left alone is right on ",
          output.task->alone().left, ", the right alone on ", output.task->alone().right, " of ",
          Count(output.task->labelled(), "sample"),
          "; McNemar's p = ", absl::StrFormat("%.3g", figures.at("p")),
          figures.at("p") < 0.05 ? ": no chance" : ": may be chance"));
    }
  }
  return lines;
}

std::vector<std::string> SensitivityLines(const SensitivityReport& found) {
  if (!found.not_possible.empty()) return {found.not_possible};
  std::vector<std::string> lines = {absl::StrCat(
      found.figure, " ", Figure(found.converted), " as it is, ", Figure(found.all_in_float),
      " with all ", Count(static_cast<int64_t>(found.layers.size()), "layer"),
      " in float; tried on ", Count(found.samples, "sample"))};
  if (!found.target.empty()) {
    lines.push_back(
        !found.reached ? absl::StrCat(found.target, " is not reached, not even with all of them")
        : found.keep.empty() ? absl::StrCat(found.target, " holds as it is")
                             : absl::StrCat(found.target, " holds with ",
                                            Count(static_cast<int64_t>(found.keep.size()), "layer"),
                                            " in float: ", Figure(found.kept_figure)));
  }
  if (!found.list.empty()) lines.push_back(found.list);
  return lines;
}

std::vector<std::string> SensitiveCells(const SensitivityReport& found, size_t i) {
  const SensitiveLayer& layer = found.layers[i];
  return {Figure(layer.in_float), Figure(layer.coarse), Figure(found.curve[i + 1]),
          absl::StrCat(layer.op_type, layer.op_type.empty() ? "" : " ", layer.name)};
}

}  // namespace onnxcmp

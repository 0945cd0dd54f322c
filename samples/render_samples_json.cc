#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "record/text/utf8.h"
#include "samples/render_samples.h"
#include "samples/samples_words.h"

namespace onnxcmp {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Infinite ones as null, as comparisons have them.
OrderedJson Number(double number) {
  return std::isfinite(number) ? OrderedJson(number) : OrderedJson(nullptr);
}

OrderedJson Text(const std::string& text) { return RepairUtf8(text); }

OrderedJson NameOf(const SamplesReport& report, int64_t sample) {
  return Text(report.names[static_cast<size_t>(sample)]);
}

OrderedJson ExtremeOf(const SamplesReport& report, const std::optional<Spread::Extreme>& extreme) {
  if (!extreme.has_value()) return nullptr;
  return {{"figure", Number(extreme->figure)}, {"sample", NameOf(report, extreme->sample)}};
}

// `bins`: the histogram, too, as pairs of a bin's lower end and its count.
OrderedJson SpreadOf(const SamplesReport& report, const Spread& spread, bool bins) {
  if (spread.count() == 0) return nullptr;
  OrderedJson json = {{"samples", spread.count()},
                      {"mean", Number(spread.mean())},
                      {"deviation", Number(spread.deviation())},
                      {"least", ExtremeOf(report, spread.least())},
                      {"most", ExtremeOf(report, spread.most())},
                      {"infinite", spread.infinite()}};
  if (bins) {
    OrderedJson list = OrderedJson::array();
    for (const auto& [bin, count] : spread.bins()) list.push_back({bin, count});
    json["bins"] = std::move(list);
  }
  return json;
}

OrderedJson FiguresOf(const SamplesReport& report, const LayerFigures& figures) {
  return {
      {"sqnr", SpreadOf(report, figures.sqnr, /*bins=*/true)},
      {"sqnr_pooled", figures.sqnr.count() > 0 ? Number(figures.pooled()) : OrderedJson(nullptr)},
      {"cosine", SpreadOf(report, figures.cosine, /*bins=*/false)},
      {"max", SpreadOf(report, figures.most, /*bins=*/false)},
      {"saturated", SpreadOf(report, figures.saturated, /*bins=*/false)},
      {"not_finite", figures.not_finite},
      {"unlike", figures.unlike}};
}

OrderedJson LayersOf(const SamplesReport& report) {
  OrderedJson list = OrderedJson::array();
  for (const SampledLayer& layer : report.layers) {
    OrderedJson item = {
        {"result", Text(layer.right)},
        {"left_result", Text(layer.left)},
        {"operator", Text(layer.op_type)},
        {"begins", layer.begins},
        {"lost", layer.lost.has_value() ? Number(*layer.lost) : OrderedJson(nullptr)},
        {"cost", SpreadOf(report, layer.cost, /*bins=*/false)},
        {"cause", layer.cause.has_value() ? OrderedJson(*layer.cause) : OrderedJson(nullptr)},
        {"mistake", Text(layer.mistake)},
        {"outlier", layer.outlier},
        {"far_worse", layer.far_worse}};
    item.update(FiguresOf(report, layer.figures));
    list.push_back(std::move(item));
  }
  return list;
}

OrderedJson OutputsOf(const SamplesReport& report) {
  OrderedJson list = OrderedJson::array();
  for (const SampledOutput& output : report.outputs) {
    OrderedJson item = {
        {"left", Text(output.left)},
        {"right", Text(output.right)},
        {"task", output.task.has_value() ? OrderedJson(TaskName(output.task->task()))
                                         : OrderedJson(nullptr)},
        {"taken_for", Text(output.taken_for)}};
    OrderedJson figures = OrderedJson::object();
    if (output.task.has_value()) {
      for (const auto& [name, figure] : output.task->Figures()) figures[name] = Number(figure);
      item["decisions"] = output.task->decisions();
      item["alike"] = output.task->alike();
      item["labelled"] = output.task->labelled();
      item["right_alone"] = {{"left", output.task->alone().left},
                             {"right", output.task->alone().right}};
    }
    item["figures"] = std::move(figures);
    item.update(FiguresOf(report, output.figures));
    list.push_back(std::move(item));
  }
  return list;
}

OrderedJson SensitivityOf(const SensitivityReport& found) {
  OrderedJson json = {{"figure", found.figure},
                      {"converted", Number(found.converted)},
                      {"all_in_float", Number(found.all_in_float)},
                      {"samples", found.samples},
                      {"node_runs", found.node_runs},
                      {"target", found.target},
                      {"reached", found.reached},
                      {"kept_figure", Number(found.kept_figure)},
                      {"list", Text(found.list)},
                      {"not_possible", Text(found.not_possible)}};
  OrderedJson layers = OrderedJson::array();
  for (const SensitiveLayer& layer : found.layers) {
    layers.push_back({{"name", Text(layer.name)},
                      {"operator", Text(layer.op_type)},
                      {"in_float", Number(layer.in_float)},
                      {"coarse", Number(layer.coarse)}});
  }
  json["layers"] = std::move(layers);
  OrderedJson curve = OrderedJson::array();
  for (const double figure : found.curve) curve.push_back(Number(figure));
  json["curve"] = std::move(curve);
  OrderedJson keep = OrderedJson::array();
  for (const size_t i : found.keep) keep.push_back(Text(found.layers[i].name));
  json["keep"] = std::move(keep);
  return json;
}

}  // namespace

std::string RenderSamplesJson(const SamplesReport& report) {
  OrderedJson json = {
      {"exit_status", report.ExitStatus()}, {"headline", Text(SamplesHeadline(report))},
      {"left", Text(report.sources.left)},  {"right", Text(report.sources.right)},
      {"path", Text(report.path)},          {"given", report.given},
      {"compared", report.outcomes.size()}, {"interrupted", report.interrupted}};
  OrderedJson notes = OrderedJson::array();
  for (const std::string& note : report.notes) notes.push_back(Text(note));
  json["notes"] = std::move(notes);
  OrderedJson conditions = OrderedJson::array();
  for (const FailIfResult& one : report.conditions) {
    conditions.push_back({{"condition", Text(one.condition.Text())},
                          {"figure", Number(one.figure)},
                          {"fails", one.fails}});
  }
  json["conditions"] = std::move(conditions);
  json["outputs"] = OutputsOf(report);
  json["layers"] = LayersOf(report);
  json["equal_layers"] = report.equal_layers;
  json["costed"] = report.costed;
  OrderedJson samples = OrderedJson::array();
  for (const SampleOutcome& outcome : report.outcomes) {
    samples.push_back({{"name", NameOf(report, outcome.sample)},
                       {"sqnr", Number(outcome.sqnr)},
                       {"agrees", outcome.agrees},
                       {"alike", outcome.alike}});
  }
  json["samples"] = std::move(samples);
  OrderedJson failed = OrderedJson::array();
  for (const FailedSample& one : report.failed) {
    failed.push_back({{"name", NameOf(report, one.sample)}, {"why", Text(one.why)}});
  }
  json["failed"] = std::move(failed);
  json["sensitivity"] =
      report.sensitivity.has_value() ? SensitivityOf(*report.sensitivity) : OrderedJson(nullptr);
  return json.dump(1) + "\n";
}

}  // namespace onnxcmp

#include "samples/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/conversion/conversion.h"
#include "compare/in_float/mixed_run.h"
#include "compare/in_float/smallest_set.h"
#include "compare/quantization/side_values.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "record/differences/infinity.h"
#include "record/text/short_text.h"
#include "samples/trial_figures.h"

namespace onnxcmp {
namespace {

// Figures of which less is better.
bool LessIsBetter(const std::string& figure) {
  for (const char* name : {"kl", "rmse", "token_errors", "accuracy_drop", "max"}) {
    if (figure == name || figure.ends_with(absl::StrCat(".", name))) return true;
  }
  return false;
}

// A sample with all values of both sides, and the runs of the converted side on it.
struct HeldSample {
  int64_t sample = 0;
  PerSide<ResultStream> streams;  // its own, if its shapes are others than the first sample's
  PerSide<std::unique_ptr<SideValues>> values;
  std::unique_ptr<MixedRun> run;
};

std::string ShapesOf(const Side& side) {
  std::vector<std::string> shapes;
  for (const auto& [name, value] : *side.feeds()) {
    shapes.push_back(absl::StrCat(name, value.TypeString()));
  }
  std::sort(shapes.begin(), shapes.end());
  return absl::StrJoin(shapes, ",");
}

// The name without its last part: "/layer1/conv/Conv" is of "/layer1/conv".
std::string ModuleOf(const std::string& name) {
  const size_t at = name.find_last_of("/.");
  return at == std::string::npos || at == 0 ? name : name.substr(0, at);
}

class Search {
 public:
  Search(const PerSide<Side*>& sides, const SampleMeasurer& measurer, const SamplesReport& report,
         const MeasureOptions& options, const SensitivityOptions& wanted,
         const Conversion& conversion)
      : sides_(sides),
        measurer_(measurer),
        report_(report),
        options_(options),
        wanted_(wanted),
        conversion_(conversion),
        plain_(Other(conversion.converted)),
        pool_(ThreadCount(options.compare.threads)),
        aligned_(PartnersInOrder(report.first->alignment, conversion.converted)) {}

  absl::StatusOr<SensitivityReport> Run() {
    OC_RETURN_IF_ERROR(Hold());
    if (held_.empty()) return Impossible("the values of one sample do not fit into the memory");
    FindLayers();
    if (layers_.empty()) return Impossible("no node of one side is a conversion of the other's");
    OC_RETURN_IF_ERROR(ChooseFigure());
    const int64_t trials = 3 * static_cast<int64_t>(layers_.size());
    const auto nodes =
        static_cast<int64_t>(held_[0]->values[conversion_.converted]->graph().nodes().size());
    const auto samples = static_cast<int64_t>(held_.size());
    found_.full_runs = samples * static_cast<int64_t>(layers_.size() * (layers_.size() + 1)) / 2;
    if (wanted_.announce != nullptr && !wanted_.announce(trials * nodes * samples / 2, samples)) {
      return Impossible("it was not wanted");
    }
    all_ = trials;
    found_.converted = Figure({});
    found_.all_in_float = Figure(AllLayers());
    for (size_t i = 0; i < layers_.size(); ++i) {
      layers_[i].in_float = Figure({i});
      std::vector<size_t> others = AllLayers();
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      layers_[i].coarse = Figure(others);
    }
    Order();
    found_.curve.push_back(found_.converted);
    std::vector<size_t> first;
    for (size_t i = 0; i < layers_.size(); ++i) {
      first.push_back(i);
      found_.curve.push_back(Figure(first));
    }
    FindSmallest();
    found_.layers = layers_;
    for (const auto& held : held_) found_.node_runs += held->run->runs();
    found_.samples = samples;
    return found_;
  }

 private:
  SensitivityReport Impossible(const std::string& why) const {
    SensitivityReport report;
    report.not_possible = absl::StrCat("nothing was tried: ", why);
    return report;
  }

  std::vector<size_t> AllLayers() const {
    std::vector<size_t> all(layers_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  // Runs the samples that were compared, as many as fit into the memory.
  absl::Status Hold() {
    const std::vector<SampleOutcome>& outcomes = report_.outcomes;
    std::string first_shapes;
    int64_t bytes = 0;
    for (const SampleOutcome& outcome : outcomes) {
      auto held = std::make_unique<HeldSample>();
      held->sample = outcome.sample;
      OC_ASSIGN_OR_RETURN(FedInputs fed, measurer_.FeedsOf(outcome.sample));
      sides_.left->SetFeeds(std::move(fed.left));
      sides_.right->SetFeeds(std::move(fed.right));
      const std::string shapes = ShapesOf(*sides_.left);
      if (first_shapes.empty()) first_shapes = shapes;
      const bool alike = outcome.sample == report_.first_sample ||
                         (shapes == first_shapes && outcomes[0].sample == report_.first_sample);
      int64_t more = 0;
      for (const SideId side : kBothSides) {
        const ResultStream& known =
            side == SideId::kLeft ? report_.first->left : report_.first->right;
        if (!alike) {
          held->streams[side] = sides_[side]->Record({.max_depth = 0, .glance = true}, Ignore);
          if (held->streams[side].results.size() != known.results.size()) return absl::OkStatus();
        }
        const ResultStream& stream = alike ? known : held->streams[side];
        more += ComputedBytes(stream);
        if (bytes + more > options_.compare.search_memory) return absl::OkStatus();
        OC_ASSIGN_OR_RETURN(held->values[side],
                            SideValues::Get({.side = sides_[side], .stream = &stream},
                                            SideName(side), options_.compare.watch, &pool_));
      }
      bytes += more;
      held->run =
          std::make_unique<MixedRun>(*held->values[plain_], *held->values[conversion_.converted],
                                     aligned_, conversion_.quantized);
      held_.push_back(std::move(held));
    }
    return absl::OkStatus();
  }

  static absl::Status Ignore(int /*number*/, const StreamResult& /*result*/,
                             const Value& /*value*/) {
    return absl::OkStatus();
  }

  void FindLayers() {
    const SideGraph& graph = held_[0]->values[plain_]->graph();
    std::map<std::string, size_t> by_module;
    for (const int n : held_[0]->run->candidates()) {
      const StreamNode& made = *graph.node(n).made;
      const int result = made.outputs.empty() ? kNone : made.outputs[0];
      const std::string name = !made.name.empty() ? made.name
                               : result != kNone  ? graph.result(result).name
                                                  : made.op_type;
      const std::string module = wanted_.modules ? ModuleOf(name) : name;
      const auto [it, is_new] = by_module.try_emplace(module, layers_.size());
      if (is_new || !wanted_.modules) {
        it->second = layers_.size();
        layers_.push_back({{}, module, made.op_type, 0, 0});
        nodes_.emplace_back();
      } else {
        layers_[it->second].op_type.clear();
      }
      layers_[it->second].nodes.push_back({made.name, result});
      nodes_[it->second].push_back(n);
    }
  }

  // The pairs of outputs with numbers, as places in the graphs of both sides.
  std::vector<TrialFigures::Output> EmptyOutputs() const {
    std::vector<TrialFigures::Output> outputs;
    for (const SampledOutput& output : report_.outputs) {
      TrialFigures::Output& one = outputs.emplace_back();
      one.name = output.left;
      if (output.task.has_value()) one.task.emplace(output.task->task());
    }
    return outputs;
  }

  static int PlaceOf(const SideGraph& graph, int result) {
    const auto& outputs = graph.outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].first == result || outputs[i].second == result) return static_cast<int>(i);
    }
    return kNone;
  }

  TrialFigures Try(const std::vector<size_t>& in_float) const {
    MixedRun::Kept kept;
    for (const size_t layer : in_float) {
      kept.nodes.insert(nodes_[layer].begin(), nodes_[layer].end());
    }
    kept.between = BetweenKept::kOneReader;
    TrialFigures figures(EmptyOutputs());
    for (const auto& held : held_) {
      const std::vector<Value> outputs = held->run->OutputsWith(kept);
      for (size_t i = 0; i < report_.outputs.size(); ++i) {
        PerSide<Value> both;
        for (const SideId side : kBothSides) {
          const SideGraph& graph = held->values[side]->graph();
          const int place = PlaceOf(graph, OfSide(report_.outputs[i].pair, side));
          if (place == kNone) continue;
          const int shown = graph.outputs()[Index(place)].second;
          if (side == plain_) {
            if (shown != kNone) both[side] = held->values[side]->value(shown);
          } else if (Index(place) < outputs.size()) {
            both[side] = outputs[Index(place)];
          }
        }
        std::optional<double> label;
        if (!options_.labels.empty()) label = options_.labels[static_cast<size_t>(held->sample)];
        figures.Add(i, held->sample, both, label);
      }
    }
    return figures;
  }

  static absl::StatusOr<double> FigureOf(const std::string& name, const TrialFigures& trial) {
    const bool less = LessIsBetter(name);
    std::optional<double> worst;
    for (const auto& [output, figures] : trial.Figures()) {
      for (const auto& [figure, number] : figures) {
        if (name != figure && name != absl::StrCat(output, ".", figure)) continue;
        if (!worst.has_value() || (less ? number > *worst : number < *worst)) worst = number;
      }
    }
    if (worst.has_value()) return *worst;
    return absl::InvalidArgumentError(
        absl::StrCat("there is no figure `", name, "` of these outputs for --target"));
  }

  double Figure(const std::vector<size_t>& in_float) {
    if (wanted_.progress != nullptr) wanted_.progress(++done_, all_);
    const absl::StatusOr<double> figure = FigureOf(found_.figure, Try(in_float));
    return figure.ok() ? *figure : found_.more_is_better ? -kInfinity : kInfinity;
  }

  // The target's, or the first of those that say what the task is about.
  absl::Status ChooseFigure() {
    const TrialFigures trial = Try({});
    if (wanted_.target.has_value()) {
      found_.figure = wanted_.target->figure;
      found_.target = wanted_.target->Text();
      OC_RETURN_IF_ERROR(FigureOf(found_.figure, trial).status());
    } else {
      for (const char* name : {"accuracy_right", "accuracy_left", "miou", "top1", "sqnr"}) {
        found_.figure = name;
        if (FigureOf(name, trial).ok()) break;
      }
      if (found_.figure == "accuracy_left") found_.figure = "sqnr";
    }
    if (conversion_.converted == SideId::kLeft && found_.figure == "accuracy_right") {
      found_.figure = "accuracy_left";
    }
    found_.more_is_better = !LessIsBetter(found_.figure);
    return absl::OkStatus();
  }

  // Layers that gain most first: alone in float; of equal ones, alone converted.
  void Order() {
    const double sign = found_.more_is_better ? 1 : -1;
    std::vector<size_t> order = AllLayers();
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const SensitiveLayer& one = layers_[a];
      const SensitiveLayer& other = layers_[b];
      if (one.in_float != other.in_float) return sign * one.in_float > sign * other.in_float;
      return sign * one.coarse < sign * other.coarse;
    });
    std::vector<SensitiveLayer> layers;
    std::vector<std::vector<int>> nodes;
    for (const size_t i : order) {
      layers.push_back(std::move(layers_[i]));
      nodes.push_back(std::move(nodes_[i]));
    }
    layers_ = std::move(layers);
    nodes_ = std::move(nodes);
  }

  void FindSmallest() {
    if (!wanted_.target.has_value()) return;
    if (wanted_.target->Fails(found_.converted)) {
      found_.reached = true;
      found_.kept_figure = found_.converted;
      return;
    }
    std::vector<int> ordered(layers_.size());
    std::iota(ordered.begin(), ordered.end(), 0);
    const SmallestSet smallest = FindSmallestSet(
        ordered,
        [&](const std::vector<int>& members) {
          // The beginnings of the list have been tried.
          const bool beginning = !members.empty() && members.front() == 0 &&
                                 members.back() == static_cast<int>(members.size()) - 1;
          const double figure = beginning
                                    ? found_.curve[members.size()]
                                    : Figure(std::vector<size_t>(members.begin(), members.end()));
          return wanted_.target->Fails(figure);
        },
        [] { return true; });
    found_.reached = !smallest.members.empty();
    found_.keep.assign(smallest.members.begin(), smallest.members.end());
    if (!found_.reached) return;
    found_.kept_figure = Figure(found_.keep);
    std::vector<std::string> names;
    for (const size_t layer : found_.keep) {
      for (const KeptNode& node : layers_[layer].nodes) {
        if (!node.name.empty()) names.push_back(absl::StrCat("\"", node.name, "\""));
      }
    }
    found_.list = absl::StrCat(conversion_.quantized ? "nodes_to_exclude" : "node_block_list", "=[",
                               absl::StrJoin(names, ", "), "]");
  }

  const PerSide<Side*> sides_;
  const SampleMeasurer& measurer_;
  const SamplesReport& report_;
  const MeasureOptions& options_;
  const SensitivityOptions& wanted_;
  const Conversion conversion_;
  const SideId plain_;
  const ThreadPool pool_;
  const std::vector<int> aligned_;
  std::vector<std::unique_ptr<HeldSample>> held_;
  std::vector<SensitiveLayer> layers_;
  std::vector<std::vector<int>> nodes_;  // by layer
  SensitivityReport found_;
  int64_t done_ = 0, all_ = 0;
};

}  // namespace

absl::StatusOr<SensitivityReport> FindSensitivity(const PerSide<Side*>& sides,
                                                  const SampleMeasurer& measurer,
                                                  const SamplesReport& report,
                                                  const MeasureOptions& options,
                                                  const SensitivityOptions& wanted) {
  SensitivityReport none;
  if (report.first == nullptr) {
    none.not_possible = "nothing was tried: no sample was compared";
    return none;
  }
  const std::optional<Conversion> conversion =
      ConversionOf({&report.first->left, &report.first->right});
  if (!conversion.has_value() || conversion->both) {
    none.not_possible =
        "nothing was tried: neither side is the other one in a coarser type, so no layer can be "
        "put back to float";
    return none;
  }
  return Search(sides, measurer, report, options, wanted, *conversion).Run();
}

}  // namespace onnxcmp

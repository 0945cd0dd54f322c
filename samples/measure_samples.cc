#include "samples/measure_samples.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compare/conversion/conversion.h"
#include "compare/outputs/output_comparison.h"
#include "compare/stages/judge_conversion.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "record/differences/infinity.h"
#include "record/differences/tensor_distance.h"
#include "record/text/meant_name.h"
#include "samples/figures/matched_boxes.h"
#include "samples/figures/pair_measure.h"
#include "samples/measured_pairs.h"
#include "samples/rank_layers.h"
#include "samples/sample_batches.h"

namespace onnxcmp {
namespace {

// Samples on which the layers' costs are measured, each by as many parts of a run as there are
// layers; they are spread over all of them.
constexpr int64_t kCostedSamples = 4;

std::string TakenFor(Task task, const Tensor& output) {
  switch (task) {
    case Task::kClasses:
      return absl::StrCat("scores of ", output.shape().back(), " classes");
    case Task::kSegmentation:
      return absl::StrCat("scores of ", output.dim(1), " classes at each pixel");
    case Task::kTokens:
      return absl::StrCat("scores of ", output.shape().back(), " tokens at each position");
    case Task::kIds:
      return "ids";
    case Task::kRegression:
      return "numbers";
    case Task::kBoxes:
      return "boxes of a detector";
  }
  return "";
}

}  // namespace

class SampleMeasurer::State {
 public:
  State(const PerSide<Side*>& sides, const SampleList& samples, const MeasureOptions& options)
      : sides_(sides),
        samples_(samples),
        options_(options),
        pool_(ThreadCount(options.compare.threads)) {
    report_.names = samples.names;
    report_.given = static_cast<int64_t>(samples.names.size());
    report_.part = options.part;
    report_.parts = options.parts;
    for (const SideId side : kBothSides) report_.sources[side] = sides[side]->summary().source;
  }

  absl::Status Measure(int64_t first) {
    OC_RETURN_IF_ERROR(PairResults());
    if (!IsMine(first)) return absl::OkStatus();
    const int64_t last = std::min(first + options_.batch, report_.given);
    std::vector<int64_t> group;
    std::vector<GivenSample> read;
    for (int64_t sample = first; sample < last; ++sample) {
      absl::StatusOr<GivenSample> one = samples_.read(sample);
      if (!one.ok()) {
        Fail(sample, one.status());
        continue;
      }
      group.push_back(sample);
      read.push_back(*std::move(one));
    }
    if (group.empty()) return absl::OkStatus();
    absl::StatusOr<FedInputs> fed = Feed(read);
    if (!fed.ok() && group.size() > 1) {
      // Samples of unequal sizes are fed one after the other.
      for (size_t i = 0; i < group.size(); ++i) {
        OC_RETURN_IF_ERROR(MeasureGroup({group[i]}, Feed({read[i]})));
      }
      return absl::OkStatus();
    }
    return MeasureGroup(group, std::move(fed));
  }

  absl::StatusOr<FedInputs> FeedsOf(int64_t sample) const {
    OC_ASSIGN_OR_RETURN(const GivenSample read, samples_.read(sample));
    return Feed({read});
  }

  const SamplesReport& Report() const { return report_; }

  SamplesReport Ranked() const {
    SamplesReport report = report_;
    RankLayers(&report);
    return report;
  }

 private:
  absl::StatusOr<FedInputs> Feed(const std::vector<GivenSample>& read) const {
    const PerSide<const Graph*> graphs = {&sides_.left->evaluator()->model().graph,
                                          &sides_.right->evaluator()->model().graph};
    if (!read[0].folder.empty()) {
      if (read.size() > 1) return absl::InvalidArgumentError("folders are fed one after the other");
      InputOptions options = options_.inputs;
      options.inputs = read[0].folder;
      OC_ASSIGN_OR_RETURN(InputSets sets, InputSets::Open(*graphs.left, *graphs.right, options));
      return sets.Get(0);
    }
    std::vector<NamedValue> values = read[0].values;
    for (size_t i = 0; read.size() > 1 && i < values.size(); ++i) {
      std::vector<Tensor> parts;
      for (const GivenSample& sample : read) {
        const auto it =
            std::find_if(sample.values.begin(), sample.values.end(),
                         [&](const NamedValue& value) { return value.name == values[i].name; });
        if (it == sample.values.end() || !it->value.is_tensor()) {
          return absl::InvalidArgumentError("samples with other values");
        }
        parts.push_back(it->value.tensor());
      }
      OC_ASSIGN_OR_RETURN(values[i].value, Joined(parts));
    }
    OC_ASSIGN_OR_RETURN(InputSets sets,
                        InputSets::OpenGiven(*graphs.left, *graphs.right, options_.inputs,
                                             std::move(values), "the sample"));
    return sets.Get(0);
  }

  bool IsMine(int64_t sample) const {
    return sample / options_.batch % options_.parts == options_.part;
  }

  // By the first sample that both sides run on, whichever part it is in: all parts have the same
  // pairs.
  absl::Status PairResults() {
    if (tried_to_pair_) return absl::OkStatus();
    tried_to_pair_ = true;
    for (int64_t sample = 0; sample < report_.given; ++sample) {
      absl::StatusOr<FedInputs> fed = FeedsOf(sample);
      if (!fed.ok()) continue;
      sides_.left->SetFeeds(std::move(fed->left));
      sides_.right->SetFeeds(std::move(fed->right));
      absl::Status paired = Prepare(sample, fed->notes);
      if (absl::IsCancelled(paired)) return paired;
      if (paired.ok()) return CheckTasks();
    }
    return absl::OkStatus();
  }

  void Fail(int64_t sample, const absl::Status& status) {
    report_.failed.push_back({sample, std::string(status.message())});
  }

  absl::Status MeasureGroup(const std::vector<int64_t>& group, absl::StatusOr<FedInputs> fed) {
    absl::Status failed = fed.status();
    if (failed.ok()) {
      sides_.left->SetFeeds(std::move(fed->left));
      sides_.right->SetFeeds(std::move(fed->right));
      // No sample runs: this one's reason.
      if (pairs_ == nullptr) failed = Prepare(group[0], fed->notes);
    }
    PerSide<MeasuredPairs::Values> values;
    for (const SideId side : kBothSides) {
      if (!failed.ok()) break;
      absl::StatusOr<MeasuredPairs::Values> run = pairs_->Run(side, options_.compare.watch);
      failed = run.ok() ? absl::OkStatus()
                        : absl::Status(run.status().code(),
                                       absl::StrCat("the ", SideName(side),
                                                    " side: ", run.status().message()));
      if (run.ok()) values[side] = *std::move(run);
    }
    if (absl::IsCancelled(failed)) return failed;
    if (!failed.ok()) {
      for (const int64_t sample : group) Fail(sample, failed);
      return absl::OkStatus();
    }
    const auto parts = static_cast<int64_t>(group.size());
    for (size_t i = 0; i < pairs_->layers().size(); ++i) {
      MeasureLayer(pairs_->layers()[i], values, group, &report_.layers[i].figures);
    }
    for (int64_t part = 0; part < parts; ++part) {
      OC_RETURN_IF_ERROR(MeasureOutputs(group[static_cast<size_t>(part)], values, part, parts));
    }
    return MeasureCosts(group);
  }

  // The comparison of a first sample that both sides run on.
  absl::Status Prepare(int64_t sample, const std::vector<std::string>& notes) {
    OC_ASSIGN_OR_RETURN(Comparison compared,
                        Compare(*sides_.left, *sides_.right, Measuring(options_.compare)));
    for (const SideId side : kBothSides) {
      const absl::Status& status =
          side == SideId::kLeft ? compared.left_summary.status : compared.right_summary.status;
      if (!status.ok()) {
        return absl::Status(status.code(),
                            absl::StrCat("the ", SideName(side), " side: ", status.message()));
      }
    }
    const auto held = std::make_shared<Comparison>(std::move(compared));
    for (const std::string& note : notes) held->notes.push_back(note);
    report_.first = held;
    report_.first_sample = sample;
    pairs_ = std::make_unique<MeasuredPairs>(sides_, *held);
    tolerances_ = std::make_unique<PairTolerances>(held->left, held->right, held->alignment,
                                                   options_.compare.tolerance);
    conversion_ = ConversionOf({&held->left, &held->right});
    for (const ResultPair& pair : pairs_->layers()) report_.layers.emplace_back().pair = pair;
    for (size_t i = 0; i < pairs_->outputs().size(); ++i) {
      SampledOutput output;
      output.pair = pairs_->outputs()[i];
      output.left = held->left.results[Index(output.pair.left)].name;
      output.right = held->right.results[Index(output.pair.right)].name;
      report_.outputs.push_back(std::move(output));
    }
    DescribeLayers(*pairs_, &report_);
    if (held->quantization.has_value() && options_.costs && IsMine(sample)) {
      AddCosts(sample, *held->quantization);
    }
    if (pairs_->left_out() > 0) {
      report_.notes.push_back(absl::StrCat(
          pairs_->left_out(), " pairs have their elements in another order and are not measured"));
    }
    return absl::OkStatus();
  }

  // Every task is one of an output.
  absl::Status CheckTasks() const {
    for (const auto& [name, task] : options_.tasks) {
      std::vector<std::string> names;
      for (const SampledOutput& output : report_.outputs) {
        names.push_back(output.left);
        names.push_back(output.right);
      }
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--task ", name, ": there is no such output", DidYouMean(name, names)));
    }
    return absl::OkStatus();
  }

  void MeasureLayer(const ResultPair& pair, const PerSide<MeasuredPairs::Values>& values,
                    const std::vector<int64_t>& group, LayerFigures* figures) const {
    const std::optional<DequantizedView> left =
        pairs_->RealsOf(SideId::kLeft, pair.left, values.left);
    const std::optional<DequantizedView> right =
        pairs_->RealsOf(SideId::kRight, pair.right, values.right);
    if (!left.has_value() || !right.has_value() || left->size() != right->size()) {
      figures->unlike += static_cast<int64_t>(group.size());
      return;
    }
    const auto batch = static_cast<int64_t>(group.size());
    const int64_t rows = right->tensor().rank() == 0 ? 0 : right->tensor().dim(0);
    const int64_t parts = batch > 1 && rows > 0 && rows % batch == 0 ? batch : 1;
    for (int64_t part = 0; part < parts; ++part) {
      const PairMeasure measure = MeasurePair(*left, *right, part, parts, &pool_);
      const std::optional<double> saturated = SaturatedShare(*right, part, parts);
      // A result without an axis for the batch is that of each of its samples.
      for (int64_t same = 0; same < (parts == 1 ? batch : 1); ++same) {
        const int64_t sample = group[static_cast<size_t>(part + same)];
        figures->Add(sample, measure.moments, measure.most);
        if (measure.not_finite > 0) ++figures->not_finite;
        if (saturated.has_value()) figures->saturated.Add(sample, *saturated);
      }
    }
  }

  absl::Status MeasureOutputs(int64_t sample, const PerSide<MeasuredPairs::Values>& values,
                              int64_t part, int64_t parts) {
    PerSide<std::vector<NamedOutput>> outputs;
    for (const SampledOutput& output : report_.outputs) {
      for (const SideId side : kBothSides) {
        const int result = OfSide(output.pair, side);
        const auto it = values[side].find(result);
        const std::string& name = side == SideId::kLeft ? output.left : output.right;
        outputs[side].push_back(
            {name, it == values[side].end() ? Value() : PartOfBatch(it->second, part, parts),
             result});
      }
    }
    const OutputComparison judged =
        CompareOutputs(outputs.left, outputs.right, options_.compare.tolerance, tolerances_.get(),
                       &report_.first->alignment);
    if (judged.agree() && TellsNothing(judged)) {
      Fail(sample, absl::InvalidArgumentError(
                       "nothing was tested: all outputs are NaN or have no elements"));
      return absl::OkStatus();
    }
    SampleOutcome outcome = {.sample = sample, .sqnr = kInfinity};
    outcome.alike = AddDetections(sample, outputs);
    absl::flat_hash_map<int, double> noise;
    for (size_t i = 0; i < report_.outputs.size(); ++i) {
      SampledOutput& output = report_.outputs[i];
      const PerSide<Value> both = {outputs.left[i].value, outputs.right[i].value};
      if (!IsMeasurable(both.left) || !IsMeasurable(both.right)) continue;
      if (both.left.tensor().shape() != both.right.tensor().shape()) {
        const bool boxes = output.task.has_value() && output.task->task() == Task::kBoxes;
        outcome.other_shapes = outcome.other_shapes || !boxes;
        continue;
      }
      const PairMeasure measure = MeasurePair(DequantizedView(both.left.tensor()),
                                              DequantizedView(both.right.tensor()), 0, 1, &pool_);
      if (IsFloatingPoint(both.left.tensor().dtype())) {
        noise[output.pair.left] =
            measure.not_finite > 0 ? -kInfinity : DecibelsOf(measure.moments.sums);
      }
      output.figures.Add(sample, measure.moments, measure.most);
      if (measure.not_finite > 0) ++output.figures.not_finite;
      outcome.sqnr = std::min(
          outcome.sqnr, measure.not_finite > 0 ? -kInfinity : DecibelsOf(measure.moments.sums));
      OC_ASSIGN_OR_RETURN(const bool alike, AddTask(sample, both, &output));
      outcome.alike = outcome.alike && alike;
    }
    outcome.agrees = Agree(judged, noise);
    report_.outcomes.push_back(outcome);
    return absl::OkStatus();
  }

  // The boxes of a detector, whose sides may have unlike numbers of them. True if both find the
  // same.
  bool AddDetections(int64_t sample, const PerSide<std::vector<NamedOutput>>& outputs) {
    PerSide<std::vector<Value>> values;
    PerSide<Detections> found;
    int boxes = -1;
    for (const SideId side : kBothSides) {
      for (const NamedOutput& output : outputs[side]) values[side].push_back(output.value);
      const DetectionOutputs places = FindDetections(values[side]);
      if (places.boxes < 0 || (boxes >= 0 && places.boxes != boxes)) return true;
      boxes = places.boxes;
      const auto tensor = [&](int place) {
        return place < 0 ? nullptr : &values[side][static_cast<size_t>(place)].tensor();
      };
      found[side] = {tensor(places.boxes), tensor(places.classes), tensor(places.scores)};
    }
    SampledOutput& output = report_.outputs[static_cast<size_t>(boxes)];
    if (output.taken_for.empty() && !options_.tasks.contains(output.left) &&
        !options_.tasks.contains(output.right)) {
      output.taken_for = TakenFor(Task::kBoxes, *found.left.boxes);
      output.task.emplace(Task::kBoxes);
    }
    if (!output.task.has_value() || output.task->task() != Task::kBoxes) return true;
    return output.task->AddBoxes(sample, MatchBoxes(found.left, found.right));
  }

  absl::StatusOr<bool> AddTask(int64_t sample, const PerSide<Value>& both, SampledOutput* output) {
    const Tensor& tensor = both.left.tensor();
    if (!output->task.has_value() && output->taken_for.empty()) {
      std::optional<Task> task = TaskOf(tensor);
      for (const std::string& name : {output->left, output->right}) {
        const auto it = options_.tasks.find(name);
        if (it != options_.tasks.end()) task = it->second;
      }
      output->taken_for = task.has_value() ? TakenFor(*task, tensor) : "no numbers of a task";
      if (task.has_value()) output->task.emplace(*task);
    }
    if (!output->task.has_value() || output->task->task() == Task::kBoxes) return true;
    std::optional<double> label;
    if (!options_.labels.empty()) label = options_.labels[static_cast<size_t>(sample)];
    if (label.has_value()) {
      const absl::Status fits = TaskFigures::CheckLabel(output->task->task(), *label, tensor);
      if (!fits.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "sample ", samples_.names[static_cast<size_t>(sample)], ": ", fits.message()));
      }
    }
    return output->task->Add(sample, {both.left.tensor(), both.right.tensor()}, label);
  }

  // True if the noise of a conversion excuses outputs: it is an honest one on the first sample, and
  // no tolerance was given, which is then the only rule.
  bool MayHaveNoise() const {
    const ToleranceOptions& given = options_.compare.tolerance;
    const Verdict verdict = report_.first->verdict();
    return conversion_.has_value() && !given.rtol.has_value() && !given.atol.has_value() &&
           (verdict == Verdict::kSame || verdict == Verdict::kClose);
  }

  // Within the tolerances; of a conversion to a coarser type, or where it was asked for, by the
  // signal to noise.
  // `noise`: signal to noise of floats of equal shapes, by the left's result.
  bool Agree(OutputComparison judged, const absl::flat_hash_map<int, double>& noise) const {
    judged.partial = options_.compare.partial;
    // Only pairs are measured: an output that one side has not is known from the first sample.
    judged.only_left = report_.first->outputs.only_left;
    judged.only_right = report_.first->outputs.only_right;
    const bool asked = options_.compare.min_sqnr.has_value();
    if (!asked && judged.agree()) return true;
    if (!asked && !MayHaveNoise()) return false;
    if (judged.pairs.empty()) return false;
    if (!judged.partial && !(judged.only_left.empty() && judged.only_right.empty())) return false;
    const double least = conversion_.has_value()
                             ? LeastSignalToNoise(*conversion_, options_.compare.min_sqnr)
                             : *options_.compare.min_sqnr;
    return std::all_of(judged.pairs.begin(), judged.pairs.end(), [&](const OutputPair& pair) {
      const auto known = noise.find(pair.left_result);
      return known == noise.end() ? IsAccepted(judged, pair) : known->second >= least;
    });
  }

  bool IsCosted(int64_t sample) const {
    const int64_t costed = std::min(kCostedSamples, report_.given);
    for (int64_t i = 0; i < costed; ++i) {
      if (sample == i * report_.given / costed) return true;
    }
    return false;
  }

  // The costs of layers at the outputs, by a comparison of one sample.
  absl::Status MeasureCosts(const std::vector<int64_t>& group) {
    const std::optional<QuantizationReport>& first = report_.first->quantization;
    if (!options_.costs || !first.has_value()) return absl::OkStatus();
    const auto costed =
        std::find_if(group.begin(), group.end(), [&](int64_t sample) { return IsCosted(sample); });
    if (costed == group.end() || *costed == report_.first_sample) return absl::OkStatus();
    CompareOptions options = Measuring(options_.compare);
    options.causes = false;
    OC_ASSIGN_OR_RETURN(const Comparison compared, Compare(*sides_.left, *sides_.right, options));
    if (compared.quantization.has_value()) AddCosts(*costed, *compared.quantization);
    return absl::OkStatus();
  }

  CompareOptions Measuring(CompareOptions options) const {
    options.quantization = options_.costs;
    // A loop that runs longer on another sample has more results, and all after it other numbers.
    options.max_depth = 0;
    return options;
  }

  void AddCosts(int64_t sample, const QuantizationReport& found) {
    ++report_.costed;
    const SideId side = found.side;
    absl::flat_hash_map<int, SampledLayer*> by_result, by_partner;
    for (SampledLayer& layer : report_.layers) {
      by_result[OfSide(layer.pair, side)] = &layer;
      by_partner[OfSide(layer.pair, Other(side))] = &layer;
    }
    // The rounded form of a float result has no row of its own.
    const auto layer_of = [&](int result, int dequantized, int partner) -> SampledLayer* {
      for (const auto& [known, one] :
           {std::pair(&by_result, result), std::pair(&by_result, dequantized),
            std::pair(&by_partner, partner)}) {
        const auto it = one == kNone ? known->end() : known->find(one);
        if (it != known->end()) return it->second;
      }
      return nullptr;
    };
    absl::flat_hash_map<int, int> dequantized;
    for (const QuantizedLayer& layer : found.layers) {
      dequantized[layer.result] = layer.dequantized;
      SampledLayer* const measured = layer.cost.has_value()
                                         ? layer_of(layer.result, layer.dequantized, layer.partner)
                                         : nullptr;
      if (measured != nullptr) measured->cost.Add(sample, *layer.cost);
    }
    absl::flat_hash_set<const SampledLayer*> mistaken;
    for (const QuantizationMistake& mistake : found.mistakes) {
      const auto it = dequantized.find(mistake.result);
      SampledLayer* const measured =
          layer_of(mistake.result, it == dequantized.end() ? kNone : it->second, mistake.partner);
      if (measured == nullptr || !mistaken.insert(measured).second) continue;
      ++measured->mistaken;
      if (measured->mistake.empty()) measured->mistake = mistake.text;
    }
  }

  bool tried_to_pair_ = false;
  const PerSide<Side*> sides_;
  const SampleList& samples_;
  const MeasureOptions& options_;
  const ThreadPool pool_;
  SamplesReport report_;
  std::unique_ptr<MeasuredPairs> pairs_;
  std::unique_ptr<PairTolerances> tolerances_;
  std::optional<Conversion> conversion_;
};

SampleMeasurer::SampleMeasurer(const PerSide<Side*>& sides, const SampleList& samples,
                               const MeasureOptions& options)
    : state_(std::make_unique<State>(sides, samples, options)) {}
SampleMeasurer::~SampleMeasurer() = default;

absl::Status SampleMeasurer::Measure(int64_t first) { return state_->Measure(first); }
SamplesReport SampleMeasurer::Report() const { return state_->Ranked(); }
SamplesReport SampleMeasurer::Figures() const { return state_->Report(); }
absl::StatusOr<FedInputs> SampleMeasurer::FeedsOf(int64_t sample) const {
  return state_->FeedsOf(sample);
}

}  // namespace onnxcmp

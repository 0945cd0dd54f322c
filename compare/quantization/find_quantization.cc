#include "compare/quantization/find_quantization.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/graphs/kept_range.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/quantization/bias_mistake.h"
#include "compare/quantization/cause_review.h"
#include "compare/quantization/counterpart_run.h"
#include "compare/quantization/missing_quantization.h"
#include "compare/quantization/output_cost.h"
#include "compare/quantization/packed_mistake.h"
#include "compare/quantization/quantized_weights.h"
#include "compare/quantization/shared_quant_params.h"
#include "compare/quantization/side_values.h"
#include "compare/quantization/wrong_floats.h"
#include "compare/quantization/wrong_quant_params.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/operator_traits.h"
#include "record/streams/quantized_streams.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

class QuantizationFinder {
 public:
  QuantizationFinder(const CounterpartRun& run, const QuantizationOptions& options,
                     QuantizationReport* report)
      : run_(run), side_(run.quantized()), options_(options), report_(*report) {}

  void Find() {
    for (const int r : side_.graph().results()) AddLayer(r);
    LookAtStrayPacked();
    AddWrongFloats();
    FindMistakes();
    FindMissing();
    std::stable_sort(report_.mistakes.begin(), report_.mistakes.end(),
                     [](const auto& a, const auto& b) { return a.error > b.error; });
    OutputCost cost(run_);
    report_.output_error = cost.OfAll();
    for (QuantizationMistake& mistake : report_.mistakes) mistake.cost = cost.Of(mistake.result);
    if (options_.costs || options_.cost_of_noisiest) Weigh(&cost);
  }

 private:
  // The mistake in weights that a layer reads, and the integers that hold them.
  struct WeightsMistakeOf {
    int integers = kNone;
    Mistake mistake;
  };

  const StreamResult& Result(int r) const { return side_.graph().result(r); }
  const StreamNode& Made(int r) const {
    return *side_.graph().node(side_.graph().producer(r)).made;
  }

  // True for results that are rounded to integers, and for float results of quantized constants
  // that are not rounded next.
  bool IsLayer(int r) const {
    const int n = side_.graph().producer(r);
    if (n == kNone || side_.IsFixed(r)) return false;
    const std::string& op_type = Made(r).op_type;
    if (side_.all_params().written(r).has_value()) return Quantizes(op_type);
    if (!IsFloatingPoint(Result(r).dtype) || op_type == "DequantizeLinear") return false;
    if (op_type == "DynamicQuantizeLinear" || !run_.replaced(r)) return false;
    return ReadsQuantized(side_, run_.RegionOf(r));
  }

  // The operator that a layer is named by.
  std::string MadeBy(int r, const std::vector<int>& region) const {
    const StreamNode& made = Made(r);
    const bool rounds = made.op_type == "QuantizeLinear" || made.op_type == "DynamicQuantizeLinear";
    if (rounds) {
      const int x = made.inputs.front();
      if (x == kNone) return made.op_type;
      const int n = side_.graph().producer(x);
      if (n == kNone) return "input";
      return run_.replaced(x) ? made.op_type : side_.graph().node(n).made->op_type;
    }
    for (const int n : region) {
      const std::string& op_type = side_.graph().node(n).made->op_type;
      if (Quantizes(op_type) && !absl::EndsWith(op_type, "uantizeLinear")) return op_type;
    }
    return made.op_type;
  }

  void AddLayer(int r) {
    if (!IsLayer(r)) return;
    QuantizedLayer& layer = report_.layers.emplace_back();
    const std::vector<int>& region = regions_.emplace_back(run_.RegionOf(r));
    layer.result = r;
    layer.partner = run_.partner(r);
    layer.made_by = MadeBy(r, region);
    layer.dequantized = IsInteger(Result(r).dtype) ? kNone : r;
    for (const int n : side_.graph().readers(r)) {
      const StreamNode& reader = *side_.graph().node(n).made;
      if (layer.dequantized == kNone && reader.op_type == "DequantizeLinear") {
        layer.dequantized = reader.outputs.front();
      }
    }
    DescribeQuantParams(&layer);
    LookAtWeights(region, &layer);
    if (layer.partner == kNone) return;
    const std::optional<DequantizedView> ours = side_.RealsOf(r);
    const std::optional<DequantizedView> theirs = run_.other().RealsOf(layer.partner);
    if (!ours.has_value() || !theirs.has_value() || ours->size() != theirs->size()) return;
    const NoiseStats noise_stats = NoiseStatsOf(*theirs, *ours, options_.pool);
    layer.sqnr = Decibels(noise_stats.noise);
    layer.cosine = noise_stats.cosine;
    layer.own_sqnr = Decibels(run_.LocalNoise(r).noise);
    double squares = 0;
    ForEachStrip(DequantizedReader(*theirs), 0, theirs->size(),
                 [&](int64_t /*first*/, int64_t count, const double* strip) {
                   for (const double number : absl::MakeConstSpan(strip, count)) {
                     if (!std::isfinite(number)) continue;
                     layer.least = std::min(layer.least.value_or(number), number);
                     layer.most = std::max(layer.most.value_or(number), number);
                     squares += number * number;
                   }
                 });
    ExplainByQuantParams(std::sqrt(squares / static_cast<double>(theirs->size())), region, &layer);
  }

  // `size`: root mean square of the other side's numbers.
  void ExplainByQuantParams(double size, const std::vector<int>& region, QuantizedLayer* layer) {
    constexpr double kFits = 0.5;  // least share of the steps that is used
    constexpr double kFewEnds = 0.01;
    if (layer->scale > 0 && size > 0 && layer->used.value_or(0) >= kFits &&
        layer->saturated.value_or(0) <= kFewEnds) {
      layer->rounding_sqnr = Decibels(layer->scale / std::sqrt(12.0) / size);
    }
    for (QuantizedLayer& read : report_.layers) {
      const int n = side_.graph().producer(read.result);
      if (read.result == layer->result || !std::binary_search(region.begin(), region.end(), n)) {
        continue;
      }
      read.in_another = true;
      if (!read.rounding_sqnr.has_value()) continue;
      layer->rounding_sqnr =
          std::min(layer->rounding_sqnr.value_or(*read.rounding_sqnr), *read.rounding_sqnr);
    }
  }

  // Examined one layer at a time: copies of all layers' weights would take many times the model.
  void LookAtWeights(const std::vector<int>& region, QuantizedLayer* layer) {
    WeightsMistakeOf& wrong = of_weights_.emplace_back();
    const int r = layer->result;
    const bool honest = HasPartnersBits(*layer);
    for (const QuantizedWeights& weights : WeightsOf(run_, region, layer->partner)) {
      if (!honest && wrong.mistake.empty()) {
        wrong = {weights.integers, WeightsMistake(run_, weights, region, r)};
      }
      if (!AreCounterparts(run_, weights, region, r)) continue;
      const double sqnr = Decibels(weights.noise_stats.noise);
      if (layer->weights_sqnr.has_value() && *layer->weights_sqnr <= sqnr) continue;
      layer->weights_sqnr = sqnr;
      layer->weights = weights.result;
    }
    LookAtPacked(region, honest, layer->result);
    for (const int n : region) {
      const std::optional<BiasReview> review = ReviewBias(run_, n, region, r);
      if (!review.has_value() || honest) continue;
      if (wrong.mistake.empty() && !review->mistake.empty()) {
        wrong = {review->mistake.place, review->mistake};
      }
      if (!review->looked_at) ++report_.not_looked_at;
    }
  }

  // Examines weights that only their nodes can unpack.
  void LookAtPacked(const std::vector<int>& region, bool honest, int result) {
    WeightsMistakeOf& wrong = of_weights_.back();
    for (const int n : region) {
      const StreamNode& made = *side_.graph().node(n).made;
      if (!HasPackedWeights(made.op_type) || made.inputs.size() < 2) continue;
      packed_.insert(n);
      bool looked_at = honest;
      if (!honest && wrong.mistake.empty() && made.op_type == "MatMulNBits") {
        wrong = {made.inputs[1], PackedMistake(run_, n, result, &looked_at)};
      }
      if (!looked_at && wrong.mistake.empty()) ++report_.not_looked_at;
    }
  }

  // Examines products without a counterpart on the other side, which are no layers.
  void LookAtStrayPacked() {
    for (size_t i = 0; i < side_.graph().nodes().size(); ++i) {
      const auto n = static_cast<int>(i);
      const StreamNode& made = *side_.graph().node(n).made;
      if (!HasPackedWeights(made.op_type) || made.inputs.size() < 2 || packed_.contains(n))
        continue;
      bool looked_at = false;
      if (made.op_type == "MatMulNBits") {
        Mistake mistake = PackedMistake(run_, n, made.outputs[0], &looked_at);
        if (!mistake.empty()) AddMistake(made.outputs[0], true, std::move(mistake), nullptr);
      }
      if (!looked_at) ++report_.not_looked_at;
    }
  }

  void DescribeQuantParams(QuantizedLayer* layer) const {
    const std::optional<QuantParamValues> params = side_.QuantParamsOf(layer->result);
    if (!params.has_value() || params->scales.empty()) return;
    layer->dtype = Result(layer->result).dtype;
    layer->scales = static_cast<int64_t>(params->scales.size());
    layer->scale = params->scales[0];
    layer->zero_point = params->zero_points[0];
    if (params->per_tensor()) {
      layer->least_real = (params->least - layer->zero_point) * layer->scale;
      layer->most_real = (params->most - layer->zero_point) * layer->scale;
    }
    const Tensor& integers = side_.value(layer->result).tensor();
    const int64_t size = integers.num_elements();
    if (size == 0) return;
    double least = params->most, most = params->least, ends = 0;
    ForEachStrip(NumberReader(integers), 0, size,
                 [&](int64_t first, int64_t count, const double* steps) {
                   for (int64_t i = 0; i < count; ++i) {
                     least = std::min(least, steps[i]);
                     most = std::max(most, steps[i]);
                     // A zero point at the end of the range stands for 0, which a Relu gives often.
                     const bool end = steps[i] == params->least || steps[i] == params->most;
                     if (!end) continue;
                     const int64_t s = params->ScaleAt(integers.shape(), first + i);
                     if (steps[i] != params->ZeroPointOf(s)) ends += 1;
                   }
                 });
    layer->saturated = ends / static_cast<double>(size);
    layer->used = (most - least) / (params->most - params->least);
  }

  void AddMistake(int r, bool constant, Mistake found, QuantizedLayer* layer) {
    if (layer != nullptr) layer->mistake = found.text;
    QuantizationMistake mistake;
    mistake.result = r;
    mistake.place = found.place;
    mistake.partner = run_.partner(r);
    mistake.constant = constant;
    mistake.error = run_.LocalNoise(layer == nullptr ? r : layer->result).noise;
    mistake.text = std::move(found.text);
    report_.mistakes.push_back(std::move(mistake));
  }

  void FindMistakes() {
    std::vector<FixedQuantParams> all_params;
    std::vector<size_t> of_layer;
    for (size_t i = 0; i < report_.layers.size(); ++i) {
      if (options_.made_up && IsOfInput(report_.layers[i].result)) continue;
      if (auto params = FixedQuantParamsOf(run_, report_.layers[i].result)) {
        all_params.push_back(*std::move(params));
        of_layer.push_back(i);
      }
    }
    std::vector<Mistake> of_params(report_.layers.size());
    TakeRangesOfWholes(run_, &all_params);
    const std::vector<Mistake> found =
        WrongQuantParams(side_.graph(), side_.all_params(), all_params, options_.made_up);
    for (size_t k = 0; k < found.size(); ++k) of_params[of_layer[k]] = found[k];
    // One scale may serve several results, and one weight several nodes.
    absl::flat_hash_set<int> named;
    std::vector<double> noises;
    for (size_t i = 0; i < report_.layers.size(); ++i) {
      QuantizedLayer& layer = report_.layers[i];
      const int r = layer.result;
      if (HasPartnersBits(layer)) continue;
      Mistake mistake = ReadOtherwise(run_, r);
      if (!mistake.empty()) {
        AddMistake(r, true, std::move(mistake), &layer);
        continue;
      }
      if (const auto& [integers, wrong] = of_weights_[i]; !wrong.empty()) {
        layer.mistake = wrong.text;
        if (named.insert(integers).second) AddMistake(r, true, wrong, &layer);
        continue;
      }
      if (HoldsWrongFloats(regions_[i])) continue;
      if (!of_params[i].empty()) {
        layer.mistake = of_params[i].text;
        const QuantParams& params = *side_.all_params().of(r);
        if (named.insert(params.scale).second) AddMistake(r, true, of_params[i], &layer);
        continue;
      }
      if (layer.own_sqnr.has_value()) noises.push_back(*layer.own_sqnr);
    }
    FindMisfits(std::move(noises));
  }

  // True if a result is an input of the model, rounded.
  bool IsOfInput(int r) const {
    const StreamNode& made = Made(r);
    return made.op_type == "QuantizeLinear" && made.inputs.front() != kNone &&
           Result(made.inputs.front()).kind == ResultKind::kInput;
  }

  // True if a region reads integers whose scale has a mistake: the integers are wrong even if their
  // dequantized values are right.
  bool ReadsMistaken(const std::vector<int>& region) const {
    for (const QuantizedLayer& layer : report_.layers) {
      if (layer.mistake.empty() || !side_.all_params().of(layer.result).has_value()) continue;
      const QuantParams& wrong = *side_.all_params().of(layer.result);
      for (const int n : region) {
        for (const int read : side_.graph().Reads(n)) {
          const std::optional<QuantParams>& params = side_.all_params().of(read);
          if (!params.has_value() || side_.IsFixed(read)) continue;
          if (params->scale == wrong.scale) return true;
        }
      }
    }
    return false;
  }

  // True if one of a region's float-only nodes is wrong.
  bool HoldsWrongFloats(const std::vector<int>& region) const {
    return std::any_of(region.begin(), region.end(),
                       [&](int n) { return wrong_floats_.contains(n); });
  }

  // True if the other side has the same bits as a layer: then everything up to it is right.
  bool HasPartnersBits(const QuantizedLayer& layer) const {
    const auto has = [&](int r, int partner) {
      return partner != kNone && Result(r).fingerprint.content ==
                                     run_.other().graph().result(partner).fingerprint.content;
    };
    const auto same = [&](int r) {
      return r != kNone && (has(r, run_.partner(r)) || has(r, run_.aligned(r)));
    };
    return same(layer.dequantized) || (layer.dequantized == kNone && same(layer.result));
  }

  // True if a result is a product of integers whose scale a later node applies.
  bool IsUnscaledProduct(int r) const {
    while (side_.graph().producer(r) != kNone && Made(r).op_type == "Cast") {
      r = Made(r).inputs.front();
      if (r == kNone) return false;
    }
    if (side_.graph().producer(r) == kNone) return false;
    return Made(r).op_type == "MatMulInteger" || Made(r).op_type == "ConvInteger";
  }

  // True if all integers, scales and zero points that a region reads are the other side's.
  bool AreOfBoth(const std::vector<int>& region) const {
    bool any = false;
    for (const int n : region) {
      for (const int read : side_.graph().Reads(n)) {
        const StreamResult& result = Result(read);
        if (!side_.IsFixed(read) || !Quantizes(side_.graph().node(n).made->op_type)) continue;
        if (result.fingerprint.size == 1 && IsInteger(result.dtype)) continue;
        if (!run_.IsOfBoth(read)) return false;
        any = true;
      }
    }
    return any;
  }

  // Finds layers that are wrong although no constant by itself explains it. What readers cut off is
  // no noise.
  void FindMisfits(std::vector<double> own) {
    if (own.size() < 2) return;
    const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
    std::nth_element(own.begin(), middle, own.end());
    OutputCost cost(run_);
    for (size_t i = 0; i < report_.layers.size(); ++i) {
      QuantizedLayer& layer = report_.layers[i];
      if (!layer.mistake.empty() || !layer.own_sqnr.has_value()) continue;
      if (*layer.own_sqnr > *middle - 8) continue;  // dB
      // Two quantization schemes have different integers.
      if (report_.both && IsUnscaledProduct(layer.result)) continue;
      if (ReadsMistaken(regions_[i]) || HoldsWrongFloats(regions_[i]) || HasPartnersBits(layer) ||
          AreOfBoth(regions_[i])) {
        continue;
      }
      // Rounding alone may leave nothing of a layer, as beside an outlier that has no weight.
      if (const auto rest = cost.UnexplainedBy(layer.result, regions_[i]);
          rest.has_value() && Decibels(*rest) > std::min(*middle - 8, *layer.own_sqnr + 15)) {
        continue;
      }
      std::string text = FactorMistake(run_, layer.result);
      if (text.empty() && *layer.own_sqnr < thresholds::kLeastDecibelsOf8Bits &&
          *layer.own_sqnr < *middle - 15 && !KeptByReaders(side_.graph(), layer.result).cuts()) {
        text = absl::StrFormat(
            "given the other side's values it is %.2g dB from the other side's result, where half "
            "of the layers are above %.2g dB: a scale, a zero point or an axis that it is computed "
            "with is wrong",
            *layer.own_sqnr, *middle);
      }
      if (!text.empty()) AddMistake(layer.result, true, {std::move(text), kNone}, &layer);
    }
  }

  void AddWrongFloats() {
    if (report_.both) return;
    for (WrongFloat& wrong : FindWrongFloats(run_)) {
      wrong_floats_.insert(side_.graph().producer(wrong.result));
      AddMistake(wrong.result, false, {std::move(wrong.text), kNone}, nullptr);
      report_.mistakes.back().of_floats = true;
    }
  }

  void FindMissing() {
    absl::flat_hash_set<int> named;
    for (MissingQuantization& missing : FindMissingQuantization(side_)) {
      if (!named.insert(missing.result).second) continue;
      AddMistake(missing.result, false, {std::move(missing.text), kNone}, nullptr);
    }
  }

  // Measures costs, noisiest layers first, within a limit of work.
  void Weigh(OutputCost* cost) {
    const int64_t limit =
        work_bounds::kCandidates *
        std::max<int64_t>(100, static_cast<int64_t>(run_.other().graph().nodes().size()));
    std::vector<size_t> order;
    for (size_t i = 0; i < report_.layers.size(); ++i) {
      if (report_.layers[i].own_sqnr.has_value()) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return *report_.layers[a].own_sqnr < *report_.layers[b].own_sqnr;
    });
    // Only the order of the first matters then.
    if (!options_.costs) order.resize(std::min<size_t>(order.size(), 8));
    size_t weighed = 0;
    while (weighed < order.size() && cost->runs() < limit) {
      QuantizedLayer& layer = report_.layers[order[weighed++]];
      layer.cost = cost->Of(layer.result);
    }
    if (options_.costs && weighed < order.size()) {
      report_.notes.push_back(absl::StrCat("a limit was reached: only the ", weighed,
                                           " noisiest of ", order.size(),
                                           " layers were put into the other side's run"));
    }
    if (options_.costs && !run_.other().graph().runs()) {
      report_.notes.push_back(
          "the other side is a recording: what a layer costs its outputs cannot be measured");
    }
    std::stable_sort(report_.layers.begin(), report_.layers.end(),
                     [](const QuantizedLayer& a, const QuantizedLayer& b) {
                       return a.cost.value_or(-1) > b.cost.value_or(-1);
                     });
  }

  const CounterpartRun& run_;
  const SideValues& side_;
  const QuantizationOptions& options_;
  QuantizationReport& report_;
  std::vector<std::vector<int>> regions_;     // by layer
  std::vector<WeightsMistakeOf> of_weights_;  // by layer
  absl::flat_hash_set<int> packed_;           // examined as part of a layer
  absl::flat_hash_set<int> wrong_floats_;     // nodes
};

}  // namespace

absl::StatusOr<std::optional<QuantizationReport>> FindQuantization(
    const PerSide<RecordedSide>& sides, const Alignment& alignment,
    const QuantizationOptions& options, std::vector<Cause>* causes,
    std::vector<DismissedCause>* dismissed) {
  const bool left_is = IsQuantized(*sides.left.stream);
  const bool right_is = IsQuantized(*sides.right.stream);
  if (!left_is && !right_is) return std::nullopt;
  QuantizationReport report;
  report.side = right_is ? SideId::kRight : SideId::kLeft;
  report.both = left_is && right_is;
  if (sides[report.side].evaluator() == nullptr) {
    report.notes.push_back("the quantized side is a recording: its layers cannot be run");
    return report;
  }
  if (const int64_t bytes = ComputedBytes(*sides.left.stream) + ComputedBytes(*sides.right.stream);
      bytes > options.search_memory) {
    report.too_large = true;
    report.notes.push_back(absl::StrCat("quantized layers were not looked at: the results take ",
                                        BytesText(bytes), ", more than --search-memory"));
    return report;
  }
  const auto values_of = [&](SideId side) {
    return SideValues::Get(sides[side], absl::StrCat(SideName(side), " again"), options.watch,
                           options.pool);
  };
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<SideValues> ours, values_of(report.side));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<SideValues> theirs, values_of(Other(report.side)));
  const std::vector<int> aligned = PartnersInOrder(alignment, report.side);
  const CounterpartRun run(*theirs, *ours, aligned);
  QuantizationFinder(run, options, &report).Find();
  if (causes != nullptr) ReviewCauses(run, report, causes, dismissed);
  return report;
}

}  // namespace onnxcmp

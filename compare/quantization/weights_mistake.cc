// WeightsMistake of grid_mistakes.h.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/quantization/wrong_quant_params.h"
#include "record/base/thresholds.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Root mean squares in steps: correct rounding makes 0.3, and rounding that compensates other
// errors less than 1.
constexpr double kDoubtfulSteps = 1;

// The elements of one scale: the partner's are a, ours b.
struct Channel {
  ChannelLine values;
  // A factor and an offset; too few elements do not determine the offset.
  LeastSquaresLine fit;
  double steps = 0;  // distance from the partner's elements, root mean square
};

// The step that the other side's weights were rounded with; 0 if they were not. A single scale
// beside one for each channel is another scheme, and rounds small channels legitimately.
double PartnerStep(const QuantizedWeights& weights, const QuantParamValues& params,
                   size_t channel) {
  const std::vector<double>& theirs = weights.partner_scales;
  if (theirs.empty()) return 0;
  if (theirs.size() == params.scales.size()) return theirs[channel];
  return *std::max_element(theirs.begin(), theirs.end());
}

std::vector<Channel> ChannelsOf(const QuantizedWeights& weights, const Shape& shape,
                                const QuantParamValues& params, const ThreadPool* pool) {
  std::vector<Channel> channels;
  for (const ChannelLine& values :
       LinesThrough(*weights.partner_reals, *weights.reals, params, shape, pool)) {
    const size_t c = channels.size();
    const double scale = params.scales[c];
    Channel& channel = channels.emplace_back();
    channel.values = values;
    channel.fit = values.count >= 3 ? values.line : LeastSquaresLine{values.from_zero, 0};
    const double rms = values.count > 0 ? std::sqrt(values.apart / values.count) : 0;
    channel.steps = scale > 0 ? rms / std::max(scale, PartnerStep(weights, params, c)) : 0;
  }
  return channels;
}

std::string RangeText(double least, double most) {
  return absl::StrFormat("%.3g … %.3g", least, most);
}

class Diagnosis {
 public:
  Diagnosis(const CounterpartRun& run, const QuantizedWeights& weights,
            const QuantParamValues& params)
      : run_(run),
        side_(run.quantized()),
        weights_(weights),
        params_(params),
        of_(*side_.all_params().of(weights.integers)),
        channels_(ChannelsOf(weights, *weights.shape, params, side_.pool())) {}

  Mistake Find() const {
    size_t worst = 0;
    size_t bad = 0;
    for (size_t c = 0; c < channels_.size(); ++c) {
      if (channels_[c].steps > channels_[worst].steps) worst = c;
      if (channels_[c].steps > kDoubtfulSteps) ++bad;
    }
    if (bad == 0) return {};
    if (std::string text = AxisText(); !text.empty()) return {std::move(text), kNone};
    const Channel& channel = channels_[worst];
    const std::string where = channels_.size() == 1
                                  ? ""
                                  : absl::StrFormat(" of channel %d (%d of %d channels are wrong)",
                                                    worst, bad, channels_.size());
    const double scale = params_.scales[worst];
    const double moved = channel.fit.offset / scale;
    const bool scale_known = run_.IsOfBoth(of_.scale);
    if (!scale_known && std::abs(channel.fit.slope - 1) > 0.05 && channel.fit.slope > 0) {
      std::string text = absl::StrFormat(
          "scale %s = %.4g%s is %.3g times what it should be: the weights reach %s, the other "
          "side's %s",
          Name(of_.scale), scale, where, channel.fit.slope,
          RangeText(channel.values.least_b, channel.values.most_b),
          RangeText(channel.values.least_a, channel.values.most_a));
      if (const int other = ChannelOfScale(scale, worst); other >= 0) {
        absl::StrAppend(&text, "; it is what channel ", other, " asks for");
      }
      return {std::move(text), of_.scale};
    }
    const bool zero_point_known = of_.zero_point != kNone && run_.IsOfBoth(of_.zero_point);
    if (!zero_point_known && std::abs(moved) > kDoubtfulSteps) {
      std::string text = absl::StrFormat(
          "zero point %s = %.4g%s is about %.0f steps too %s: the weights reach %s, the other "
          "side's %s",
          of_.zero_point == kNone ? "" : Name(of_.zero_point),
          params_.ZeroPointOf(static_cast<int64_t>(worst)), where, std::abs(moved),
          moved > 0 ? "small" : "great", RangeText(channel.values.least_b, channel.values.most_b),
          RangeText(channel.values.least_a, channel.values.most_a));
      return {std::move(text), of_.zero_point};
    }
    if (channel.steps < thresholds::kFarSteps || run_.IsOfBoth(weights_.integers)) return {};
    return {absl::StrFormat("weights %s%s are %.3g steps of their scale from the other side's",
                            Name(weights_.result), where, channel.steps),
            weights_.integers};
  }

 private:
  const std::string& Name(int r) const { return side_.graph().result(r).name; }

  // Text if the same scales fit along another axis.
  std::string AxisText() const {
    if (params_.per_tensor() || params_.block > 0) return "";
    const Tensor& integers = side_.value(weights_.integers).tensor();
    if (integers.shape() != *weights_.shape) return "";
    for (size_t axis = 0; axis < integers.shape().size(); ++axis) {
      if (static_cast<int64_t>(axis) == params_.axis) continue;
      if (integers.shape()[axis] != static_cast<int64_t>(params_.scales.size())) continue;
      QuantParamValues other = params_;
      other.axis = static_cast<int64_t>(axis);
      const NoiseStats noise_stats =
          NoiseStatsOf(*weights_.partner_reals, DequantizedView(integers, other), side_.pool());
      if (noise_stats.noise > 0.3 * weights_.noise_stats.noise) continue;
      return absl::StrFormat(
          "axis %d of the scales %s is wrong: along axis %d the weights are %.3g dB from the other "
          "side's, along this one %.3g dB",
          params_.axis, Name(of_.scale), axis, Decibels(noise_stats.noise),
          Decibels(weights_.noise_stats.noise));
    }
    return "";
  }

  // Another channel whose values this one's scale would fit.
  int ChannelOfScale(double scale, size_t channel) const {
    for (size_t c = 0; c < channels_.size(); ++c) {
      const double wanted =
          channels_[c].fit.slope > 0 ? params_.scales[c] / channels_[c].fit.slope : 0;
      if (c != channel && std::abs(wanted - scale) <= 0.02 * scale) return static_cast<int>(c);
    }
    return -1;
  }

  const CounterpartRun& run_;
  const SideValues& side_;
  const QuantizedWeights& weights_;
  const QuantParamValues& params_;
  const QuantParams& of_;
  const std::vector<Channel> channels_;
};

// The noise of a layer's result with the other side's weights; nothing if they cannot replace
// these.
std::optional<double> NoiseWith(const CounterpartRun& run, const QuantizedWeights& weights,
                                const std::vector<int>& region, int result) {
  const SideValues& side = run.quantized();
  if (!weights.scaled || run.partner(result) == kNone) return std::nullopt;
  const Value instead = side.InFormOf(weights.result, *weights.partner_reals);
  if (instead.empty()) return std::nullopt;
  const Value given = run.RunRegion(region, result, weights.result, instead);
  const std::optional<DequantizedView> reals = side.RealsOf(result, given);
  const std::optional<DequantizedView> partner = run.other().RealsOf(run.partner(result));
  if (!reals.has_value() || !partner.has_value()) return std::nullopt;
  return NoiseStatsOf(*partner, *reals, side.pool()).noise;
}

// True if the other side has the same integers in any type and no DequantizeLinear for them: then
// the nodes that decode them differ, and nobody can say here that these are right.
bool AreDecodedOtherwise(const CounterpartRun& run, const QuantizedWeights& weights) {
  if (!weights.partner_scales.empty()) return false;
  const SideValues& other = run.other();
  const Tensor& integers = run.quantized().value(weights.integers).tensor();
  return absl::c_any_of(other.graph().results(), [&](int r) {
    if (!other.IsFixed(r) || !other.value(r).is_tensor()) return false;
    const Tensor& theirs = other.value(r).tensor();
    return IsInteger(theirs.dtype()) && theirs.num_elements() == integers.num_elements() &&
           integers.num_elements() > 1 && UnequalShare(integers, theirs) == 0;
  });
}

// The mistake in the zero point of integers that are multiplied without a scale.
Mistake MovedMistake(const SideValues& side, const QuantizedWeights& weights) {
  if (weights.zero_point == kNone || std::abs(weights.moved) <= kDoubtfulSteps) return {};
  return {absl::StrFormat("zero point %s of the weights %s is about %.0f steps too %s",
                          side.graph().result(weights.zero_point).name,
                          side.graph().result(weights.integers).name, std::abs(weights.moved),
                          weights.moved > 0 ? "small" : "great"),
          weights.zero_point};
}

}  // namespace

Mistake WeightsMistake(const CounterpartRun& run, const QuantizedWeights& weights,
                       const std::vector<int>& region, int result) {
  const SideValues& side = run.quantized();
  if (!weights.scaled) return MovedMistake(side, weights);
  if (weights.integers == kNone || !weights.shape.has_value()) return {};
  const std::optional<QuantParamValues> params = side.QuantParamsOf(weights.integers);
  if (!params.has_value() || AreDecodedOtherwise(run, weights)) return {};
  // The channels of reshaped weights are unknown here.
  if (!params->per_tensor() && side.value(weights.integers).tensor().shape() != *weights.shape) {
    return {};
  }
  Mistake found = Diagnosis(run, weights, *params).Find();
  if (found.empty()) return found;
  // Weights with something folded into them differ legitimately: the other side's own fit worse.
  const std::optional<double> without = NoiseWith(run, weights, region, result);
  const double most = thresholds::kMostLeftOfError * run.LocalNoise(result).noise;
  return without.has_value() && *without < most ? found : Mistake();
}

bool AreCounterparts(const CounterpartRun& run, const QuantizedWeights& weights,
                     const std::vector<int>& region, int result) {
  if (!weights.shape.has_value() || weights.noise_stats.noise <= 0.01) return true;
  const std::optional<double> without = NoiseWith(run, weights, region, result);
  return !without.has_value() || *without <= 1.1 * run.LocalNoise(result).noise;
}

}  // namespace onnxcmp

#include "compare/quantization/bias_mistake.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quantization_error.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Least root mean square difference from the other side's bias, relative.
constexpr double kBiasApart = 0.05;

// Input slots.
struct BiasSlots {
  size_t x_scale, weights_scale, bias;
};
std::optional<BiasSlots> BiasSlotsOf(const std::string& op_type) {
  if (op_type == "QLinearConv") return BiasSlots{1, 4, 8};
  if (op_type == "QGemm") return BiasSlots{1, 4, 6};
  return std::nullopt;
}

double AlphaOf(const Node* node) {
  if (node == nullptr) return 1;
  const auto* const given = AttributeOf<float>(*node, "alpha");
  return given == nullptr ? 1 : *given;
}

// Constants of the other side that a result depends on within a few nodes.
std::vector<int> BiasCandidates(const SideValues& other, int partner) {
  std::vector<int> found;
  const auto passes = [&](int before) {
    if (other.IsFixed(before)) found.push_back(before);
    return !other.IsFixed(before);
  };
  other.graph().ReachBefore({partner}, passes, kUnlimited, work_bounds::kHops);
  return found;
}

std::string BiasRange(const std::vector<double>& numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return absl::StrFormat("%.3g … %.3g", *least, *most);
}

// Quantization parameters of a layer's bias; nothing if the scales do not fit it.
std::optional<QuantParamValues> QuantParamsOfBias(const DequantizedView& x_scale,
                                                  const DequantizedView& weights_scale,
                                                  double alpha, const Tensor& integers) {
  QuantParamValues params;
  params.scales = weights_scale.All();
  for (double& scale : params.scales) scale *= x_scale.All()[0] * alpha;
  params.zero_points = {0};
  params.least = -std::ldexp(1.0, 31);
  params.most = std::ldexp(1.0, 31) - 1;
  if (params.per_tensor()) return params;
  params.axis = integers.rank() - 1;
  if (static_cast<int64_t>(params.scales.size()) != integers.num_elements()) return std::nullopt;
  return params;
}

// A bias of the other side.
struct OtherBias {
  int result = kNone;
  NoiseStats noise_stats;
  std::vector<double> numbers;
};

// The nearest of the candidates that point in the bias's direction.
OtherBias NearestBias(const SideValues& other, int partner, const std::vector<double>& ours) {
  OtherBias nearest;
  for (const int r : BiasCandidates(other, partner)) {
    const std::optional<DequantizedView> reals = other.RealsOf(r);
    if (!reals.has_value() || reals->size() != static_cast<int64_t>(ours.size())) continue;
    std::vector<double> numbers = reals->All();
    const NoiseStats found = NoiseStatsOf(numbers, ours);
    if (found.cosine < thresholds::kLeastCosine ||
        (nearest.result != kNone && found.noise >= nearest.noise_stats.noise)) {
      continue;
    }
    nearest = {r, found, std::move(numbers)};
  }
  return nearest;
}

}  // namespace

std::optional<BiasReview> ReviewBias(const CounterpartRun& run, int n,
                                     const std::vector<int>& region, int result) {
  const SideValues& side = run.quantized();
  const SideGraph& graph = side.graph();
  const StreamNode& made = *graph.node(n).made;
  const std::optional<BiasSlots> slots = BiasSlotsOf(made.op_type);
  if (!slots.has_value() || made.inputs.size() <= slots->bias) return std::nullopt;
  const int bias = made.inputs[slots->bias];
  if (bias == kNone || !side.value(bias).is_tensor()) return std::nullopt;
  BiasReview review;
  const int x_scale = made.inputs[slots->x_scale];
  const int weights_scale = made.inputs[slots->weights_scale];
  const int partner = run.partner(result);
  if (partner == kNone || !side.IsFixed(bias) || !side.IsFixed(x_scale) ||
      !side.IsFixed(weights_scale)) {
    return review;
  }
  const Tensor& integers = side.value(bias).tensor();
  const std::optional<DequantizedView> x = side.RealsOf(x_scale);
  const std::optional<DequantizedView> w = side.RealsOf(weights_scale);
  if (!IsInteger(integers.dtype()) || !x.has_value() || !w.has_value() || x->size() != 1) {
    return review;
  }
  const std::optional<QuantParamValues> steps_of_bias =
      QuantParamsOfBias(*x, *w, AlphaOf(graph.node(n).node), integers);
  if (!steps_of_bias.has_value()) return review;
  const QuantParamValues& params = *steps_of_bias;
  const std::vector<double> ours = DequantizedView(integers, params).All();
  const auto [counterpart, noise_stats, theirs] = NearestBias(run.other(), partner, ours);
  if (counterpart == kNone) return review;
  review.looked_at = true;
  double squares = 0, most = 0;
  size_t worst = 0;
  for (size_t c = 0; c < ours.size(); ++c) {
    const double step = params.scales[params.per_tensor() ? 0 : c];
    const double steps = step > 0 ? std::abs(ours[c] - theirs[c]) / step : 0;
    squares += steps * steps;
    if (steps > most) most = steps, worst = c;
  }
  const double steps = std::sqrt(squares / static_cast<double>(std::max<size_t>(1, ours.size())));
  if (noise_stats.noise < kBiasApart || steps < thresholds::kFarSteps) return review;
  const absl::StatusOr<Tensor> instead =
      Quantized(DequantizedView(theirs), integers.shape(), integers.dtype(), params, side.pool());
  if (!instead.ok()) return review;
  const std::optional<DequantizedView> given =
      side.RealsOf(result, run.RunRegion(region, result, bias, *instead));
  const std::optional<DequantizedView> wanted = run.other().RealsOf(partner);
  if (!given.has_value() || !wanted.has_value() || given->size() != wanted->size() ||
      NoiseStatsOf(*wanted, *given, side.pool()).noise >=
          thresholds::kMostLeftOfError * run.LocalNoise(result).noise) {
    return review;
  }
  const LeastSquaresLine line = LineThrough(theirs, ours);
  const double cosine = std::abs(noise_stats.cosine);
  const std::string& name = graph.result(bias).name;
  const std::string reach =
      absl::StrFormat("%s reads it in steps of %s * %s, so that it reaches %s, the other side's %s",
                      made.op_type, graph.result(x_scale).name, graph.result(weights_scale).name,
                      BiasRange(ours), BiasRange(theirs));
  review.mistake.place = bias;
  review.mistake.text =
      cosine > 0.99 && std::abs(line.slope - 1) > kBiasApart
          ? absl::StrFormat("bias %s is %.3g times what it should be: %s", name, line.slope, reach)
          : absl::StrFormat("bias %s is %.3g steps from the other side's in channel %d: %s", name,
                            most, static_cast<int64_t>(worst), reach);
  return review;
}

}  // namespace onnxcmp

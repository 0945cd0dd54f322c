#include "compare/quantization/wrong_quant_params.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "record/base/thresholds.h"
#include "record/graphs/kept_range.h"
#include "record/operators/operator_traits.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// Part of the representable range that the other side's numbers reach, against the other results of
// the model: less than a scale three times too great would leave.
constexpr double kWasted = 0.38;
// Mean square error, clipping included, over that of the range that holds all numbers: more than a
// calibration accepts, even one by percentiles, which cuts off few numbers for smaller steps.
constexpr double kCostOfCut = 50;
// A few numbers outside the calibrated range prove nothing: at most this many, and at most this
// share of all. Nor do so few numbers in all, as two classes have, that use little of it.
constexpr double kTail = 3;
constexpr double kTailShare = 0.25;
// A moved zero point clips more than this share at one end, or reaches this deep into the range.
constexpr double kCutByMoving = 0.001;
constexpr double kDeepCut = 0.25;
// Mean square of correct rounding, in steps.
constexpr double kRounding = 1.0 / 12;
// Least certain offset of a zero point, in steps.
constexpr double kMoved = 12;
constexpr double kMovedShare = 0.03;  // the same as a share of the range, beyond 8 bits
constexpr double kTight = 6;

double MedianOf(std::vector<double> numbers, double otherwise) {
  if (numbers.size() < 4) return otherwise;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// The part of the range that the numbers reach at either end.
double ParamsReach(const FixedQuantParams& params) {
  double reach = 0;
  if (params.most_real() > 0) reach = std::max(reach, params.most / params.most_real());
  // Clipping at 0 is a fused Relu, up to rounding.
  if (params.least_real() < 0) reach = std::max(reach, params.least / params.least_real());
  return reach;
}

// From 0 to 1 or from -1 to 1, the conventional range for results of Softmax, Sigmoid and Tanh.
bool IsByConvention(const FixedQuantParams& params) {
  const double low = params.least_real();
  const double high = params.most_real();
  const auto is = [](double number, double wanted) { return std::abs(number - wanted) < 0.02; };
  return is(high, 1) && (is(low, 0) || is(low, -1));
}

// True if the fill of a mask was calibrated, which makes NaN of all numbers: 0 * inf.
bool IsInfinite(const FixedQuantParams& params) { return std::isinf(params.values.scales[0]); }

bool IsSymmetric(const FixedQuantParams& params) {
  return std::abs(params.values.zero_points[0] -
                  (params.values.least + params.values.most + 1) / 2) <= 1;
}

// Unused steps at the lower end; negative: numbers are clipped there. The range always includes 0.
double FreeBelow(const FixedQuantParams& params) {
  return (std::min(params.least, 0.0) - params.least_real()) / params.values.scales[0];
}
double FreeAbove(const FixedQuantParams& params) {
  return (params.most_real() - std::max(params.most, 0.0)) / params.values.scales[0];
}

// Mean square error over that of a range that ends where the numbers end.
double CostOf(const FixedQuantParams& params) {
  const double steps = params.values.most - params.values.least;
  const double needed =
      (std::max(params.most, 0.0) - std::min(params.least, 0.0)) / params.values.scales[0] / steps;
  return (params.cut_square + kRounding) / (needed * needed * kRounding);
}

// True if so few numbers are clipped that a calibration may have missed them.
bool IsTail(double cut, double count) { return cut <= kTail && cut <= kTailShare * count; }

// True if a moved zero point explains the numbers clipped at the end that it moved away from.
bool CutsByMoving(const FixedQuantParams& params, double below, double above) {
  const double cut = below < above ? params.cut_below : params.cut_above;
  const double steps = params.values.most - params.values.least;
  return std::min(below, above) < -kDeepCut * steps ||
         (!IsTail(cut, params.count) && cut > kCutByMoving * params.count);
}

// The numbers that either side tells apart. A quantizer leaves out a Relu whose bound is the
// grid's: then the other side alone has it.
KeptRange KeptByBoth(const CounterpartRun& run, int r, int partner) {
  KeptRange kept = KeptByReaders(run.quantized().graph(), r);
  if (partner == kNone) return kept;
  const KeptRange theirs = KeptByReaders(run.other().graph(), partner);
  const KeptRange both = {std::max(kept.least, theirs.least),
                          std::min(kept.greatest, theirs.greatest)};
  return both.least <= both.greatest ? both : kept;
}

std::string Range(double low, double high) { return absl::StrFormat("%.3g … %.3g", low, high); }

const std::string& NameOf(const SideGraph& graph, int r) { return graph.result(r).name; }

absl::string_view Whose(const FixedQuantParams& params) {
  return params.own_numbers ? "the values that it rounds" : "the other side's values";
}

std::string ScaleText(const SideGraph& graph, const QuantParams& of,
                      const FixedQuantParams& params) {
  return absl::StrFormat("scale %s = %.4g reaches %s, %s %s", NameOf(graph, of.scale),
                         params.values.scales[0], Range(params.least_real(), params.most_real()),
                         Whose(params), Range(params.least, params.most));
}

std::string TextOfFill(const SideGraph& graph, const QuantParams& of,
                       const FixedQuantParams& params) {
  if (IsInfinite(params)) {
    return absl::StrFormat("scale %s is infinite, the numbers reach %s", NameOf(graph, of.scale),
                           Range(params.least, params.most));
  }
  return absl::StrFormat("%s: all of them but the fill %.3g, up to %.3g, become 0",
                         ScaleText(graph, of, params), params.least, params.greatest_lost);
}

std::string TextOfWaste(const SideGraph& graph, const QuantParams& of,
                        const FixedQuantParams& params, double relative) {
  const double used =
      (std::min(params.most, params.most_real()) - std::max(params.least, params.least_real())) /
      (params.most_real() - params.least_real());
  return absl::StrFormat("%s: about %s times too great, they use %s of its range",
                         ScaleText(graph, of, params), TwoDigits(1 / relative),
                         PercentText(std::max(0.0, used)));
}

std::string ZeroPointText(const SideGraph& graph, const QuantParams& of,
                          const FixedQuantParams& params, double steps) {
  const std::string name = of.zero_point == kNone ? "" : NameOf(graph, of.zero_point);
  return absl::StrFormat(
      "zero point %s = %.4g is about %.0f steps too %s: the grid reaches %s, %s %s", name,
      params.values.zero_points[0], std::abs(steps), steps > 0 ? "great" : "small",
      Range(params.least_real(), params.most_real()), Whose(params),
      Range(params.least, params.most));
}

// True if a range is the recorded one: what was recorded after the integers are read is within it.
// Then it does an activation that the layer before no longer does.
bool IsRangeOfRecording(const CounterpartRun& run, int r, const FixedQuantParams& params) {
  const SideGraph& graph = run.quantized().graph();
  const SideGraph& other = run.other().graph();
  const std::vector<int>& readers = graph.readers(r);
  if (!other.stream().recorded || readers.size() != 1 ||
      graph.node(readers[0]).made->op_type != "DequantizeLinear") {
    return false;
  }
  const int recorded = run.aligned(graph.node(readers[0]).made->outputs[0]);
  if (recorded == kNone) return false;
  const Statistics& numbers = other.result(recorded).fingerprint.numbers().statistics;
  const double step = params.values.scales[0];
  return numbers.min >= params.least_real() - step && numbers.max <= params.most_real() + step;
}

}  // namespace

void FixedQuantParams::Count(double number) {
  const double high = most_real();
  const double beyond = std::max({number - high, least_real() - number, 0.0}) / values.scales[0];
  if (beyond > 1) (number > high ? cut_above : cut_below) += 1;
  cut_square += beyond * beyond;
  constexpr double kAtEnd = 0.75;
  if (number < kAtEnd * least_real()) {
    at_least += 1;
  } else if (std::abs(number) >= values.scales[0] / 2) {
    kept += 1;
  } else {
    greatest_lost = std::max(greatest_lost, std::abs(number));
  }
}

std::optional<FixedQuantParams> FixedQuantParamsOf(const CounterpartRun& run, int r) {
  const SideValues& side = run.quantized();
  const std::optional<QuantParams>& written = side.all_params().written(r);
  if (!written.has_value() || !side.IsFixed(written->scale)) return std::nullopt;
  const std::optional<QuantParamValues> values = side.QuantParamsOf(r, written);
  if (!values.has_value() || !values->per_tensor() || !(values->scales[0] > 0)) return std::nullopt;
  const SideGraph& other = run.other().graph();
  const StreamNode& made = *side.graph().node(side.graph().producer(r)).made;
  std::optional<DequantizedView> numbers;
  bool own_numbers = false;
  std::string made_by;
  int counterpart = run.partner(r);
  if (run.partner(r) != kNone) {
    const std::optional<QuantParamValues> theirs = run.other().QuantParamsOf(run.partner(r));
    // If both are quantized alike, neither proves the other wrong.
    if (theirs.has_value() && theirs->scales == values->scales &&
        theirs->zero_points == values->zero_points) {
      return std::nullopt;
    }
    numbers = run.other().RealsOf(run.partner(r));
    const int n = other.producer(run.partner(r));
    if (n != kNone) made_by = other.node(n).made->op_type;
  } else if (made.op_type == "QuantizeLinear" && made.inputs[0] != kNone) {
    // No counterpart: takes its input when all before it has the other side's values.
    numbers = side.RealsOf(made.inputs[0], run.held(made.inputs[0]));
    own_numbers = true;
    counterpart = run.aligned(made.inputs[0]);
    const int n = side.graph().producer(made.inputs[0]);
    if (n != kNone) made_by = side.graph().node(n).made->op_type;
  }
  if (!numbers.has_value()) return std::nullopt;
  FixedQuantParams params;
  params.result = r;
  params.values = *values;
  params.own_numbers = own_numbers;
  params.least = std::numeric_limits<double>::infinity();
  params.most = -params.least;
  const KeptRange kept = KeptByBoth(run, r, counterpart);
  double count = 0;
  ForEachStrip(DequantizedReader(*numbers), 0, numbers->size(),
               [&](int64_t /*first*/, int64_t size, const double* strip) {
                 for (double number : absl::MakeConstSpan(strip, size)) {
                   if (!(std::abs(number) < thresholds::kMaskMagnitude)) continue;
                   number = std::clamp(number, kept.least, kept.greatest);
                   params.least = std::min(params.least, number);
                   params.most = std::max(params.most, number);
                   params.Count(number);
                   if (number == 0) params.zeros += 1;
                   count += 1;
                 }
               });
  if (count == 0 || !(params.most > params.least)) return std::nullopt;
  if (own_numbers && params.cut_below + params.cut_above > 0 &&
      IsRangeOfRecording(run, r, params)) {
    return std::nullopt;
  }
  params.count = count;
  params.cut_square /= count;
  params.never_negative = HasTrait(kOnnxDomain, made_by, OperatorTrait::kNotNegative);
  return params;
}

std::vector<Mistake> WrongQuantParams(const SideGraph& graph, const QuantParamsByResult& by_result,
                                      const std::vector<FixedQuantParams>& all_params,
                                      bool made_up) {
  std::vector<double> reaches, costs, moves, rooms;
  size_t symmetric = 0;
  for (const FixedQuantParams& params : all_params) {
    if (IsSymmetric(params)) ++symmetric;
    costs.push_back(CostOf(params));
    if (IsByConvention(params) || IsInfinite(params)) continue;
    reaches.push_back(ParamsReach(params));
    if (IsSymmetric(params)) continue;
    moves.push_back(std::abs(FreeBelow(params) - FreeAbove(params)) / 2);
    rooms.push_back(std::abs(FreeBelow(params) + FreeAbove(params)));
  }
  const double reach_of_all = MedianOf(reaches, 1);
  const double cost_of_all = MedianOf(costs, 1);
  const double move_of_all = MedianOf(moves, 0);
  const double room_of_all = MedianOf(rooms, 0);
  std::vector<Mistake> mistakes;
  for (const FixedQuantParams& params : all_params) {
    Mistake& found = mistakes.emplace_back();
    std::string& mistake = found.text;
    const QuantParams& of = *by_result.of(params.result);
    found.place = of.scale;
    const double reach = ParamsReach(params);
    const double relative = reach / std::clamp(reach_of_all, 0.1, 10.0);
    const double below = FreeBelow(params);
    const double above = FreeAbove(params);
    const double move = (below - above) / 2;
    const double steps = params.values.most - params.values.least;
    const double cut = params.cut_below + params.cut_above;
    if (IsInfinite(params) || params.LosesAllButFill()) {
      mistake = TextOfFill(graph, of, params);
      continue;
    }
    // One end clips numbers, and the other one has about as many unused steps.
    const bool fits =
        std::abs(below + above) <=
            std::clamp(3 * room_of_all, std::max(kTight, 0.02 * steps), 0.06 * steps) &&
        std::abs(move) >= std::max({kMoved, kMovedShare * steps, 3 * move_of_all}) &&
        below * above < 0 && CutsByMoving(params, below, above);
    const bool odd_one = !IsSymmetric(params) && all_params.size() >= 3 &&
                         symmetric + 1 == all_params.size() && std::min(below, above) < -kTight;
    const bool wasted_below =
        params.never_negative && params.least_real() < 0 && params.least >= 0 &&
        !IsSymmetric(params) &&
        -params.least_real() >= std::max(8.0, kMovedShare * steps) * params.values.scales[0];
    if (!IsByConvention(params) && (fits || odd_one)) {
      found.place = of.zero_point;
      mistake = ZeroPointText(
          graph, of, params,
          odd_one && !fits
              ? params.values.zero_points[0] - (params.values.least + params.values.most + 1) / 2
              : move);
      continue;
    }
    if (!IsTail(cut, params.count) && CostOf(params) > kCostOfCut * std::max(cost_of_all, 1.0)) {
      if (below + above >= 0 && !IsSymmetric(params)) {
        found.place = of.zero_point;
        mistake = ZeroPointText(graph, of, params, move);
      } else {
        mistake = absl::StrFormat("%s: too small, %s of them are cut off",
                                  ScaleText(graph, of, params), PercentText(cut / params.count));
      }
      continue;
    }
    if (wasted_below) {
      found.place = of.zero_point;
      mistake = absl::StrCat(
          ZeroPointText(graph, of, params, params.values.zero_points[0] - params.values.least),
          ", which are never negative");
      continue;
    }
    if (!made_up && kTailShare * params.count > kTail && !params.IsGated() && relative < kWasted &&
        reach < kWasted && !IsByConvention(params)) {
      mistake = TextOfWaste(graph, of, params, relative);
    }
  }
  return mistakes;
}

namespace {

// The changed one of two constants (scales or zero points) that a result is written and read with.
int Changed(const CounterpartRun& run, int r, const QuantParams& written, const QuantParams& read,
            bool scale) {
  const int to = scale ? written.scale : written.zero_point;
  const int from = scale ? read.scale : read.zero_point;
  if (to == kNone || from == kNone) return to == kNone ? from : to;
  if (run.IsOfBoth(to) != run.IsOfBoth(from)) return run.IsOfBoth(to) ? from : to;
  if (run.partner(r) == kNone) return to;
  const SideValues& side = run.quantized();
  const std::optional<QuantParamValues> to_values = side.QuantParamsOf(r, written);
  const std::optional<QuantParamValues> from_values = side.QuantParamsOf(r, read);
  const std::optional<QuantParamValues> theirs = run.other().QuantParamsOf(run.partner(r));
  if (!to_values.has_value() || !from_values.has_value()) return to;
  if (theirs.has_value() && scale) return theirs->scales == to_values->scales ? from : to;
  // The other side's values after quantizing and dequantizing.
  const std::optional<DequantizedView> numbers = run.other().RealsOf(run.partner(r));
  const std::optional<Shape>& shape = side.graph().result(r).shape;
  if (!numbers.has_value() || !shape.has_value() || NumElements(*shape) != numbers->size()) {
    return to;
  }
  const auto noise = [&](const QuantParamValues& params) {
    const absl::StatusOr<Tensor> integers =
        Quantized(*numbers, *shape, side.graph().result(r).dtype, params, side.pool());
    return integers.ok()
               ? NoiseStatsOf(*numbers, DequantizedView(*integers, params), side.pool()).noise
               : std::numeric_limits<double>::infinity();
  };
  return noise(*from_values) > noise(*to_values) ? from : to;
}

}  // namespace

Mistake ReadOtherwise(const CounterpartRun& run, int r) {
  const SideValues& side = run.quantized();
  const std::optional<QuantParams>& written = side.all_params().written(r);
  const std::optional<QuantParams>& read = side.all_params().read(r);
  if (!written.has_value() || !read.has_value()) return {};
  const std::optional<QuantParamValues> to = side.QuantParamsOf(r, written);
  const std::optional<QuantParamValues> from = side.QuantParamsOf(r, read);
  if (!to.has_value() || !from.has_value()) return {};
  const auto number = [&](int result, absl::Span<const double> numbers) {
    return absl::StrCat(result == kNone ? "" : NameOf(side.graph(), result), " = ",
                        absl::StrFormat("%.4g", numbers.empty() ? 0 : numbers[0]),
                        numbers.size() > 1 ? ", …" : "");
  };
  if (to->scales != from->scales) {
    return {absl::StrCat("it is written with the scale ", number(written->scale, to->scales),
                         " and read with ", number(read->scale, from->scales)),
            Changed(run, r, *written, *read, /*scale=*/true)};
  }
  if (to->zero_points != from->zero_points) {
    return {absl::StrCat("it is written with the zero point ",
                         number(written->zero_point, to->zero_points), " and read with ",
                         number(read->zero_point, from->zero_points)),
            Changed(run, r, *written, *read, /*scale=*/false)};
  }
  if (!to->per_tensor() && (to->axis != from->axis || to->block != from->block)) {
    return {
        absl::StrFormat("it is written along axis %d and read along axis %d", to->axis, from->axis),
        kNone};
  }
  return {};
}

std::string FactorMistake(const CounterpartRun& run, int r) {
  constexpr double kMostNoise = 0.05;
  constexpr double kExplains = 0.35;
  const double noise = run.LocalNoise(r).noise;
  if (run.partner(r) == kNone || noise <= kMostNoise) return "";
  const std::optional<DequantizedView> own = run.LocalReals(r);
  const std::optional<DequantizedView> partner = run.other().RealsOf(run.partner(r));
  const SideValues& side = run.quantized();
  const std::optional<Shape>& shape = side.graph().result(r).shape;
  if (!own.has_value() || !partner.has_value() || !shape.has_value() ||
      own->size() != partner->size()) {
    return "";
  }
  // Effects of the result's own quantization parameters, clipping included, are judged as theirs.
  if (const std::optional<QuantParamValues> params = side.QuantParamsOf(r); params.has_value()) {
    const Value rounded = side.InFormOf(r, *partner);
    if (!rounded.empty() &&
        NoiseStatsOf(DequantizedView(rounded.tensor(), *params), *own, side.pool()).noise <=
            kExplains * noise) {
      return "";
    }
  }
  // By channel: along the axis of images, and along the last one.
  struct Explained {
    double noise = std::numeric_limits<double>::infinity();
    std::vector<LeastSquaresLine> fits;
  } best;
  std::vector<int64_t> axes = {-1};
  if (shape->size() >= 3) axes.push_back(1);
  if (shape->size() >= 2) axes.push_back(static_cast<int64_t>(shape->size()) - 1);
  for (const int64_t axis : axes) {
    int64_t inner = 1;
    const int64_t channels = axis < 0 ? 1 : (*shape)[static_cast<size_t>(axis)];
    for (size_t i = static_cast<size_t>(axis + 1); axis >= 0 && i < shape->size(); ++i) {
      inner *= (*shape)[i];
    }
    const std::vector<ChannelLine> lines =
        LinesThrough(*partner, *own, channels, inner, run.quantized().pool());
    // A line through a few points proves nothing.
    if (lines.empty() || lines[0].count < 8) continue;
    Explained explained;
    double left = 0, squares = 0;
    for (const ChannelLine& channel : lines) {
      explained.fits.push_back(channel.line);
      left += channel.rest;
      squares += channel.squares;
    }
    explained.noise = squares > 0 ? std::sqrt(left / squares) : 1;
    if (explained.noise < 0.7 * best.noise) best = std::move(explained);
  }
  if (best.noise > kExplains * noise) return "";
  size_t worst = 0;
  for (size_t c = 0; c < best.fits.size(); ++c) {
    if (std::abs(best.fits[c].slope - 1) > std::abs(best.fits[worst].slope - 1)) worst = c;
  }
  const LeastSquaresLine& fit = best.fits[worst];
  const std::string where = best.fits.size() == 1 ? "" : absl::StrCat("; channel ", worst, " most");
  if (std::abs(fit.slope - 1) > 0.05) {
    return absl::StrFormat(
        "given the other side's values it comes out %.3g times as great%s: a scale that it is "
        "computed with is wrong",
        fit.slope, where);
  }
  return absl::StrFormat(
      "given the other side's values it comes out moved by %.3g: a zero point or a bias that it is "
      "computed with is wrong",
      fit.offset);
}

}  // namespace onnxcmp

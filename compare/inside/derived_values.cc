#include "compare/inside/derived_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "compare/inside/fitted_line.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

using Elements = absl::Span<const double>;

// Least number of elements of a channel that determine a factor and an offset.
constexpr size_t kLeastInChannel = 4;
// Equal factors are no normalization: the whole was scaled.
constexpr double kFactorsVary = 1e-2;
// No normalization negates more channels than that without exception: scales begin at 1 or at 0 and
// change sign one by one. If all have the other sign, what was recorded was negated.
constexpr int64_t kMostNegative = 7;
// A channel that deviates by less than this of the size of all is one number.
constexpr double kVaries = 1e-4;
// Shares of a limit that rounding may be of a channel's size, and of the size of all.
constexpr double kNoiseOfLimit = 0.25;
constexpr double kNoiseOfAll = 0.05;

bool AllFinite(Elements elements) {
  return absl::c_all_of(elements, [](double x) { return std::isfinite(x); });
}

double SumOfSquares(Elements elements) {
  double sum = 0;
  for (const double x : elements) sum += x * x;
  return sum;
}

// How far `made` of `before` is from `after`: the sum of squares.
template <typename Function>
double Rest(Elements before, Elements after, Function made) {
  double squares = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const double difference = made(before[i]) - after[i];
    squares += difference * difference;
  }
  return squares;
}

// The elements of a channel, along the second axis.
struct Channels {
  int64_t batch = 1;
  int64_t count = 1;
  int64_t inner = 1;

  explicit Channels(const Shape& shape) {
    batch = shape[0];
    count = shape[1];
    for (size_t i = 2; i < shape.size(); ++i) inner *= shape[i];
  }
  std::vector<double> Of(Elements all, int64_t channel) const {
    std::vector<double> elements;
    elements.reserve(static_cast<size_t>(batch * inner));
    for (int64_t b = 0; b < batch; ++b) {
      const auto* const from = all.data() + (b * count + channel) * inner;
      elements.insert(elements.end(), from, from + inner);
    }
    return elements;
  }
};

// True if a factor and an offset for each channel, and possibly a Relu, give `after`.
bool IsBeforeNormalization(Elements before, Elements after, const Shape& shape, double limit,
                           bool relu, bool with_offsets) {
  const Channels channels(shape);
  if (static_cast<size_t>(channels.batch * channels.inner) < kLeastInChannel ||
      channels.count < 2) {
    return false;
  }
  double residual = 0;
  // One factor and offset for all channels is no normalization: the whole was scaled.
  const FittedLine whole = FitLine(before, after, [&](size_t i) { return !relu || after[i] > 0; });
  int64_t told = 0;
  int64_t varying = 0;
  int64_t moved = 0;  // number of telling channels with an offset
  double least = 0, most = 0;
  const double size = SumOfSquares(after);
  const double rms = std::sqrt(size / static_cast<double>(std::max<size_t>(1, after.size())));
  if (whole.residual <= limit * limit * size) return false;
  for (int64_t c = 0; c < channels.count; ++c) {
    const std::vector<double> x = channels.Of(before, c);
    const std::vector<double> y = channels.Of(after, c);
    const FittedLine line = FitLine(x, y, [&](size_t i) { return !relu || y[i] > 0; });
    if (line.count < kLeastInChannel || line.variation == 0) {
      // Channels that Relu sets to 0 prove nothing.
      if (relu && line.count < kLeastInChannel) continue;
      if (line.count == 0) continue;
    }
    double rests = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double made = line.factor * x[i] + line.offset;
      const double rest = (relu ? std::max(made, 0.0) : made) - y[i];
      rests += rest * rest;
    }
    residual += rests;
    // An offset alone explains a channel that is about one number, whatever was before it.
    const double all = static_cast<double>(x.size());
    const double deviation =
        std::sqrt(line.variation / static_cast<double>(std::max<size_t>(1, line.count)));
    const double explained =
        std::max({limit * deviation, kNoiseOfLimit * limit * std::sqrt(SumOfSquares(y) / all),
                  kNoiseOfAll * limit * rms});
    if (std::sqrt(rests / all) > explained) return false;
    // Channels that are one number each tell no factor.
    if (!(deviation > kVaries * rms)) continue;
    ++varying;
    if (line.residual > limit * limit * std::max(line.variation, size)) continue;
    if (std::abs(line.offset) > kFactorsVary * rms) ++moved;
    if (told++ == 0) least = most = line.factor;
    least = std::min(least, line.factor);
    most = std::max(most, line.factor);
  }
  const bool negated = most < 0 && told > kMostNegative;
  return told > 1 && !negated && 2 * told > varying && size > 0 &&
         residual <= limit * limit * size && (!with_offsets || 2 * moved > told) &&
         most - least > kFactorsVary * std::max(std::abs(most), std::abs(least));
}

double Logistic(double v) { return 1 / (1 + std::exp(-v)); }
double OfTanhGelu(double v) { return 0.7978845608028654 * (v + 0.044715 * v * v * v); }

// A step of an operator on what it reads.
struct InnerStep {
  absl::string_view op_type;
  absl::string_view article;
  double (*made)(double read);
};
constexpr InnerStep kInnerSteps[] = {
    {"HardSwish", "a", [](double v) { return std::clamp(v / 6 + 0.5, 0.0, 1.0); }},
    {"HardSwish", "a", [](double v) { return v + 3; }},
    {"HardSwish", "a", [](double v) { return std::clamp(v + 3, 0.0, 6.0); }},
    {"HardSwish", "a", [](double v) { return v * std::clamp(v + 3, 0.0, 6.0); }},
    {"Swish", "a", Logistic},
    {"Silu", "a", Logistic},
    {"QuickGelu", "a", [](double v) { return 1.702 * v; }},
    {"QuickGelu", "a", [](double v) { return Logistic(1.702 * v); }},
    {"Gelu", "a", [](double v) { return 0.5 * v; }},
    {"Gelu", "a", [](double v) { return v * 0.70710678118654752; }},
    {"Gelu", "a", [](double v) { return std::erf(v * 0.70710678118654752); }},
    {"Gelu", "a", [](double v) { return 1 + std::erf(v * 0.70710678118654752); }},
    {"Gelu", "a", [](double v) { return 0.5 * (1 + std::erf(v * 0.70710678118654752)); }},
    {"Gelu", "a", [](double v) { return v * (1 + std::erf(v * 0.70710678118654752)); }},
    {"Gelu", "a", [](double v) { return v * v * v; }},
    {"Gelu", "a", [](double v) { return 0.044715 * v * v * v; }},
    {"Gelu", "a", [](double v) { return v + 0.044715 * v * v * v; }},
    {"Gelu", "a", OfTanhGelu},
    {"Gelu", "a", [](double v) { return std::tanh(OfTanhGelu(v)); }},
    {"Gelu", "a", [](double v) { return 1 + std::tanh(OfTanhGelu(v)); }},
    {"Gelu", "a", [](double v) { return 0.5 * (1 + std::tanh(OfTanhGelu(v))); }},
    {"Mish", "a", [](double v) { return std::log1p(std::exp(v)); }},
    {"Mish", "a", [](double v) { return std::tanh(std::log1p(std::exp(v))); }},
    {"Softplus", "a", [](double v) { return std::exp(v); }},
    {"Softplus", "a", [](double v) { return 1 + std::exp(v); }},
    {"Softsign", "a", [](double v) { return std::abs(v); }},
    {"Softsign", "a", [](double v) { return 1 + std::abs(v); }},
    {"Elu", "an", [](double v) { return std::exp(v); }},
    {"Elu", "an", [](double v) { return std::exp(v) - 1; }},
    {"Selu", "a", [](double v) { return std::exp(v); }},
    {"Celu", "a", [](double v) { return std::exp(v) - 1; }},
};

}  // namespace

bool HasInnerSteps(absl::string_view op_type) {
  return absl::c_any_of(kInnerSteps, [&](const auto& step) { return step.op_type == op_type; });
}

bool IsBeforeNewNormalization(const Tensor& before, const Tensor& after) {
  constexpr double kEpsilons[] = {1e-5, 2e-5, 1e-4, 1e-3, 1e-2};
  constexpr double kExact = 0.1;  // of what the factor is away from 1
  if (!IsMeasurable(Value(before)) || !IsMeasurable(Value(after))) return false;
  const std::vector<double> x = ElementsOf(before);
  const std::vector<double> y = ElementsOf(after);
  if (x.size() != y.size() || x.size() < kLeastInChannel || !AllFinite(x) || !AllFinite(y)) {
    return false;
  }
  const FittedLine line = FitLine(x, y);
  const double rms = std::sqrt(SumOfSquares(y) / static_cast<double>(y.size()));
  const double rest = std::sqrt(line.residual / static_cast<double>(y.size()));
  return absl::c_any_of(kEpsilons, [&](double epsilon) {
    const double factor = 1 / std::sqrt(1 + epsilon);
    const double within = kExact * (1 - factor);
    return std::abs(line.factor - factor) <= within && std::abs(line.offset) <= within * rms &&
           rest <= within * rms;
  });
}

std::string HowInside(const Tensor& inner, const Tensor& read,
                      const std::vector<std::string>& operators, double limit) {
  if (inner.shape() != read.shape() || !IsMeasurable(Value(inner)) || !IsMeasurable(Value(read))) {
    return "";
  }
  std::vector<double> x;
  std::vector<double> y;
  for (const InnerStep& step : kInnerSteps) {
    if (!absl::c_linear_search(operators, step.op_type)) continue;
    if (x.empty()) {
      x = ElementsOf(read);
      y = ElementsOf(inner);
      if (x.size() != y.size() || x.empty() || !AllFinite(x) || !AllFinite(y)) return "";
    }
    // Values around one number tell by their variation, as far as float32 keeps it.
    constexpr double kRounding = 2 * 0x1p-24;
    const double rounded = kRounding * kRounding * SumOfSquares(y);
    if (Rest(x, y, step.made) <= limit * limit * FitLine(x, y).variation + rounded) {
      return absl::StrCat("inside of ", step.article, " ", step.op_type);
    }
  }
  return "";
}

std::string HowDerived(const Tensor& before, const Tensor& after, double limit,
                       const SwallowedSteps& may) {
  if (before.shape() != after.shape() || !IsMeasurable(Value(before)) ||
      !IsMeasurable(Value(after))) {
    return "";
  }
  const std::vector<double> x = ElementsOf(before);
  const std::vector<double> y = ElementsOf(after);
  if (x.size() != y.size() || x.empty() || !AllFinite(x) || !AllFinite(y)) return "";
  if (may.normalization && before.rank() >= 2) {
    if (IsBeforeNormalization(x, y, before.shape(), limit, /*relu=*/false, may.with_offsets)) {
      return "before a folded BatchNormalization";
    }
    if (IsBeforeNormalization(x, y, before.shape(), limit, /*relu=*/true, may.with_offsets)) {
      return "before a folded BatchNormalization and a Relu";
    }
  }
  if (!may.activation) return "";
  const double lowest = *absl::c_min_element(y);
  const double highest = *absl::c_max_element(y);
  // Bounds that clip no element have no effect here.
  const bool cut =
      absl::c_any_of(x, [&](double v) { return v < lowest - limit || v > highest + limit; });
  // A line through the elements gives about as much where they are small: no factor is a function.
  constexpr double kBetterThanLine = 9;
  const FittedLine line = FitLine(x, y);
  const auto gives = [&](auto function) {
    const double rest = Rest(x, y, function);
    return rest <= limit * limit * line.variation && kBetterThanLine * rest <= line.residual;
  };
  if (cut && gives([](double v) { return std::max(v, 0.0); })) return "before a Relu";
  if (cut && gives([&](double v) { return std::clamp(v, lowest, highest); })) {
    const auto at = [&](double bound) {
      return absl::c_count_if(y, [&](double v) { return v == bound; });
    };
    if (at(lowest) > 1 || at(highest) > 1) return "before a Clip";
  }
  if (gives([](double v) { return 0.5 * v * (1 + std::erf(v * 0.70710678118654752)); })) {
    return "before a Gelu";
  }
  if (gives([](double v) {
        return 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
      })) {
    return "before a Gelu";
  }
  if (gives([](double v) { return v * Logistic(v); })) return "before a Swish";
  if (gives([](double v) { return v * std::clamp(v / 6 + 0.5, 0.0, 1.0); })) {
    return "before a HardSwish";
  }
  if (gives(Logistic)) return "before a Sigmoid";
  if (gives([](double v) { return std::tanh(v); })) return "before a Tanh";
  return "";
}

}  // namespace onnxcmp

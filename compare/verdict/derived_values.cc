#include "compare/verdict/derived_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "compare/differences/nearness.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {
namespace {

using Elements = absl::Span<const double>;

// Least number of elements of a channel that determine a factor and an offset.
constexpr size_t kLeastInChannel = 4;
// Equal factors are no normalization: the whole was scaled.
constexpr double kFactorsVary = 1e-2;

bool AllFinite(Elements elements) {
  return absl::c_all_of(elements, [](double x) { return std::isfinite(x); });
}

double SumOfSquares(Elements elements) {
  double sum = 0;
  for (const double x : elements) sum += x * x;
  return sum;
}

// True if `made` of `before` is `after`, as a whole and in most elements.
template <typename Function>
bool Gives(Elements before, Elements after, double limit, Function made) {
  double squares = 0;
  double size = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const double difference = made(before[i]) - after[i];
    squares += difference * difference;
    size += after[i] * after[i];
  }
  return size > 0 && squares <= limit * limit * size;
}

struct Line {
  double factor = 0;
  double offset = 0;
  double residual = 0;   // sum of squares
  double variation = 0;  // sum of squares to explain
  size_t count = 0;
};

// after = factor * before + offset, over the elements that `counts`.
template <typename Counts>
Line FitLine(Elements before, Elements after, Counts counts) {
  Line line;
  double x = 0, y = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!counts(i)) continue;
    x += before[i];
    y += after[i];
    ++line.count;
  }
  if (line.count == 0) return line;
  x /= static_cast<double>(line.count);
  y /= static_cast<double>(line.count);
  double xx = 0, xy = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!counts(i)) continue;
    xx += (before[i] - x) * (before[i] - x);
    xy += (before[i] - x) * (after[i] - y);
    line.variation += (after[i] - y) * (after[i] - y);
  }
  line.factor = xx > 0 ? xy / xx : 0;
  line.offset = y - line.factor * x;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!counts(i)) continue;
    const double rest = after[i] - line.factor * before[i] - line.offset;
    line.residual += rest * rest;
  }
  return line;
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
                           bool relu) {
  const Channels channels(shape);
  if (static_cast<size_t>(channels.batch * channels.inner) < kLeastInChannel ||
      channels.count < 2) {
    return false;
  }
  double residual = 0;
  int64_t told = 0;
  double least = 0, most = 0;
  for (int64_t c = 0; c < channels.count; ++c) {
    const std::vector<double> x = channels.Of(before, c);
    const std::vector<double> y = channels.Of(after, c);
    const Line line = FitLine(x, y, [&](size_t i) { return !relu || y[i] > 0; });
    if (line.count < kLeastInChannel || line.variation == 0) {
      // Channels that Relu sets to 0 prove nothing.
      if (relu && line.count < kLeastInChannel) continue;
      if (line.count == 0) continue;
    }
    for (size_t i = 0; i < x.size(); ++i) {
      const double made = line.factor * x[i] + line.offset;
      const double rest = (relu ? std::max(made, 0.0) : made) - y[i];
      residual += rest * rest;
    }
    if (line.variation == 0) continue;
    if (told++ == 0) least = most = line.factor;
    least = std::min(least, line.factor);
    most = std::max(most, line.factor);
  }
  const double size = SumOfSquares(after);
  return 2 * told > channels.count && size > 0 && residual <= limit * limit * size &&
         most - least > kFactorsVary * std::max(std::abs(most), std::abs(least));
}

}  // namespace

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
    if (IsBeforeNormalization(x, y, before.shape(), limit, /*relu=*/false)) {
      return "before a folded BatchNormalization";
    }
    if (IsBeforeNormalization(x, y, before.shape(), limit, /*relu=*/true)) {
      return "before a folded BatchNormalization and a Relu";
    }
  }
  if (!may.activation) return "";
  const double lowest = *absl::c_min_element(y);
  const double highest = *absl::c_max_element(y);
  // Bounds that clip no element have no effect here.
  const bool cut =
      absl::c_any_of(x, [&](double v) { return v < lowest - limit || v > highest + limit; });
  const auto gives = [&](auto function) { return Gives(x, y, limit, function); };
  if (cut && gives([](double v) { return std::max(v, 0.0); })) return "before a Relu";
  if (cut && gives([&](double v) { return std::clamp(v, lowest, highest); })) {
    const auto at = [&](double bound) {
      return absl::c_count_if(y, [&](double v) { return v == bound; });
    };
    if (at(lowest) > 1 || at(highest) > 1) return "before a Clip";
  }
  const auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  if (gives([](double v) { return 0.5 * v * (1 + std::erf(v * 0.70710678118654752)); })) {
    return "before a Gelu";
  }
  if (gives([](double v) {
        return 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
      })) {
    return "before a Gelu";
  }
  if (gives([&](double v) { return v * logistic(v); })) return "before a Swish";
  if (gives([](double v) { return v * std::clamp(v / 6 + 0.5, 0.0, 1.0); })) {
    return "before a HardSwish";
  }
  if (gives(logistic)) return "before a Sigmoid";
  if (gives([](double v) { return std::tanh(v); })) return "before a Tanh";
  return "";
}

}  // namespace onnxcmp

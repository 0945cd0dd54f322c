#include "compare/recorded/integer_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "compare/inside/fitted_line.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/base/thresholds.h"
#include "record/differences/lanes/pair_moments.h"
#include "record/differences/tensor_distance.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {
namespace {

using Elements = absl::Span<const double>;

constexpr size_t kFewestIntegers = 16;
// Rounding to whole numbers moves elements by 0.29 on average.
constexpr double kRoundingToIntegers = 0.4;
// Less than that is not the same, however coarse the steps are.
constexpr double kMostLeftOfIntegers = 0.5;
// Share of elements that noise may put on the wrong side of a bound.
constexpr double kMostAstray = 0.003;

double RootMeanOf(double squares, size_t count) {
  return std::sqrt(squares / static_cast<double>(std::max<size_t>(1, count)));
}

double NoiseOfBytes() { return ToleranceOfQuantized(DType::kInt8).whole; }

std::optional<double> RestOfBytes(Elements q, Elements x) {
  const double lowest = *absl::c_min_element(q);
  const double highest = *absl::c_max_element(q);
  const auto all = static_cast<double>(q.size());
  if (static_cast<double>(absl::c_count(q, highest)) > thresholds::kFewElements * all)
    return std::nullopt;
  const auto is_inside = [&](size_t i) { return q[i] > lowest && q[i] < highest; };
  const FittedLine line = FitLine(x, q, is_inside);
  if (line.count < kFewestIntegers || !(line.factor > 0)) return std::nullopt;
  const double deviation = RootMeanOf(line.variation, line.count);
  const double rest = RootMeanOf(line.residual, line.count);
  if (!(rest <= std::min(kRoundingToIntegers + NoiseOfBytes() * deviation,
                         kMostLeftOfIntegers * deviation))) {
    return std::nullopt;
  }
  constexpr double kSlack = 4;
  const double slack = 1 + kSlack * rest;
  size_t astray = 0;
  for (size_t i = 0; i < q.size(); ++i) {
    const double made = line.factor * x[i] + line.offset;
    const bool is_astray =
        (q[i] == lowest && q[i] < made - slack) || (q[i] == highest && q[i] > made + slack);
    astray += is_astray ? 1 : 0;
  }
  if (static_cast<double>(astray) > kMostAstray * all) return std::nullopt;
  return rest / deviation;
}

// The number of the channel of each element, along an axis.
std::vector<size_t> ChannelOfEach(const Shape& shape, size_t axis, size_t elements) {
  const auto size = static_cast<size_t>(shape[axis]);
  size_t inner = 1;
  for (size_t a = axis + 1; a < shape.size(); ++a) inner *= static_cast<size_t>(shape[a]);
  std::vector<size_t> channels(elements);
  for (size_t i = 0; i < channels.size(); ++i) channels[i] = i / inner % size;
  return channels;
}

// Without the mean of each channel.
std::vector<double> WithoutChannelMeans(Elements x, const std::vector<size_t>& channels,
                                        size_t count) {
  std::vector<double> means(count);
  const double of_each = static_cast<double>(x.size()) / static_cast<double>(count);
  for (size_t i = 0; i < x.size(); ++i) means[channels[i]] += x[i] / of_each;
  std::vector<double> rest(x.begin(), x.end());
  for (size_t i = 0; i < x.size(); ++i) rest[i] -= means[channels[i]];
  return rest;
}

// `of_channels`: number of offsets that the values are without.
std::optional<double> RestOfLine(Elements q, Elements x, size_t of_channels) {
  const FittedLine line = FitLine(x, q);
  if (line.count < kFewestIntegers || line.count < 2 * of_channels || !(line.factor > 0)) {
    return std::nullopt;
  }
  const double deviation = RootMeanOf(line.variation, line.count);
  const double rest = RootMeanOf(line.residual, line.count - of_channels);
  if (!(rest <= NoiseOfBytes() * deviation)) return std::nullopt;
  return rest / deviation;
}

// A factor for each channel; both are without their means.
std::optional<double> RestOfChannels(Elements q, Elements x, const std::vector<size_t>& channels,
                                     size_t count) {
  if (q.size() < kFewestIntegers * count) return std::nullopt;
  std::vector<PairMoments> moments(count);
  for (size_t i = 0; i < q.size(); ++i) moments[channels[i]].Add(Counting().Moments(x[i], q[i]));
  double variation = 0;
  double residual = 0;
  for (const PairMoments& channel : moments) {
    if (channel.products < 0) return std::nullopt;
    variation += channel.sums.right;
    residual += channel.AfterFactor();
  }
  if (!(variation > 0) || !(residual <= NoiseOfBytes() * NoiseOfBytes() * variation)) {
    return std::nullopt;
  }
  return std::sqrt(std::max(0.0, residual) / variation);
}

}  // namespace

std::optional<double> RestOfIntegers(const Tensor& integers, const Tensor& floats, bool sums) {
  if (!IsMeasurable(Value(integers)) || !IsMeasurable(Value(floats))) return std::nullopt;
  const std::vector<double> q = ElementsOf(integers);
  const std::vector<double> x = ElementsOf(floats);
  const auto is_finite = [](double element) { return std::isfinite(element); };
  if (q.size() != x.size() || q.size() < kFewestIntegers || !absl::c_all_of(q, is_finite) ||
      !absl::c_all_of(x, is_finite)) {
    return std::nullopt;
  }
  if (!sums) return RestOfBytes(q, x);
  if (std::optional<double> rest = RestOfLine(q, x, 1); rest.has_value()) return rest;
  const Shape& shape = floats.shape();
  for (const size_t axis : {shape.size() - 1, size_t{1}}) {
    if (shape.size() < 2 || shape[axis] < 2) continue;
    const auto count = static_cast<size_t>(shape[axis]);
    const std::vector<size_t> channels = ChannelOfEach(shape, axis, q.size());
    const std::vector<double> ours = WithoutChannelMeans(q, channels, count);
    const std::vector<double> theirs = WithoutChannelMeans(x, channels, count);
    if (std::optional<double> rest = RestOfLine(ours, theirs, count); rest.has_value()) return rest;
    if (std::optional<double> rest = RestOfChannels(ours, theirs, channels, count);
        rest.has_value()) {
      return rest;
    }
  }
  return std::nullopt;
}

}  // namespace onnxcmp

#include "tools/fix/integer_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

// Sums over a channel's elements.
struct ChannelSums {
  double least = 0, most = 0;        // of the floats, and 0
  double products = 0, squares = 0;  // of integers from their zero point
  double floats = 0, integers = 0, count = 0;
};

std::vector<ChannelSums> SumsOf(const IntegerGrid& grid, absl::Span<const double> integers,
                                absl::Span<const double> floats) {
  std::vector<ChannelSums> sums(grid.scales.size());
  for (size_t i = 0; i < floats.size(); ++i) {
    ChannelSums& channel = sums[grid.ChannelOf(i)];
    channel.least = std::min(channel.least, floats[i]);
    channel.most = std::max(channel.most, floats[i]);
    if (integers.empty()) continue;
    const double step = integers[i] - grid.ZeroOf(i);
    channel.products += step * floats[i];
    channel.squares += step * step;
    channel.floats += floats[i];
    channel.integers += integers[i];
    ++channel.count;
  }
  return sums;
}

bool IsSymmetric(const IntegerGrid& grid) {
  return std::all_of(grid.zeros.begin(), grid.zeros.end(), [&](double zero) {
    return std::abs(zero - (grid.least + grid.most) / 2) <= 1;
  });
}

// The scale of a range, of the floats as they are stored: in float32.
double ScaleOfRange(const ChannelSums& range, double steps, bool around_zero) {
  const double reach =
      around_zero ? 2 * std::max(-range.least, range.most) : range.most - range.least;
  return static_cast<double>(static_cast<float>(reach) / static_cast<float>(steps));
}

}  // namespace

std::pair<double, double> IntegerGrid::Reach(size_t channel) const {
  const double zero = zeros.size() == 1 ? zeros[0] : zeros[channel];
  return {(least - zero) * scales[channel], (most - zero) * scales[channel]};
}

std::vector<double> IntegerGrid::Rounded(absl::Span<const double> floats) const {
  std::vector<double> rounded(floats.size());
  for (size_t i = 0; i < floats.size(); ++i) {
    const double scale = ScaleOf(i);
    const double steps = scale == 0 ? 0 : floats[i] / scale;
    rounded[i] = std::clamp(std::nearbyint(steps) + ZeroOf(i), least, most);
  }
  return rounded;
}

bool IntegerGrid::Fits(absl::Span<const double> integers, absl::Span<const double> floats) const {
  for (size_t i = 0; i < floats.size(); ++i) {
    const double scale = ScaleOf(i);
    if (std::abs((integers[i] - ZeroOf(i)) * scale - floats[i]) > std::abs(scale)) return false;
  }
  return true;
}

double IntegerGrid::Used(absl::Span<const double> integers) const {
  double used = 0;
  for (size_t i = 0; i < integers.size(); ++i) {
    const double zero = ZeroOf(i);
    used = std::max(used, std::abs(integers[i] - zero) / std::max(most - zero, zero - least));
  }
  return used;
}

IntegerGrid GridOf(DType dtype, std::vector<double> scales, std::vector<double> zeros,
                   int64_t inner) {
  IntegerGrid grid;
  grid.least = RoundTo(dtype, std::numeric_limits<double>::lowest(), Overflow::kSaturate);
  grid.most = RoundTo(dtype, std::numeric_limits<double>::max(), Overflow::kSaturate);
  grid.scales = std::move(scales);
  grid.zeros = zeros.empty() ? std::vector<double>{0} : std::move(zeros);
  grid.inner = inner;
  return grid;
}

std::vector<IntegerGrid> WithFittedScales(const IntegerGrid& grid,
                                          absl::Span<const double> integers,
                                          absl::Span<const double> floats) {
  std::vector<IntegerGrid> fitted(3, grid);
  const std::vector<ChannelSums> sums = SumsOf(grid, integers, floats);
  for (size_t c = 0; c < sums.size(); ++c) {
    if (sums[c].squares == 0) continue;
    const double steps = grid.most - grid.least;
    fitted[0].scales[c] = ScaleOfRange(sums[c], grid.least < 0 ? steps - 1 : steps, true);
    fitted[1].scales[c] = ScaleOfRange(sums[c], steps, false);
    fitted[2].scales[c] = sums[c].products / sums[c].squares;
  }
  return fitted;
}

IntegerGrid WithFittedZeros(const IntegerGrid& grid, absl::Span<const double> integers,
                            absl::Span<const double> floats) {
  IntegerGrid fitted = grid;
  const std::vector<ChannelSums> sums = SumsOf(grid, integers, floats);
  if (fitted.zeros.size() == 1) {
    double steps = 0, count = 0;
    for (size_t c = 0; c < sums.size(); ++c) {
      if (grid.scales[c] != 0) steps += sums[c].integers - sums[c].floats / grid.scales[c];
      count += sums[c].count;
    }
    fitted.zeros[0] = std::clamp(std::nearbyint(steps / count), grid.least, grid.most);
    return fitted;
  }
  for (size_t c = 0; c < sums.size(); ++c) {
    if (grid.scales[c] == 0 || sums[c].count == 0) continue;
    const double steps = sums[c].integers - sums[c].floats / grid.scales[c];
    fitted.zeros[c] = std::clamp(std::nearbyint(steps / sums[c].count), grid.least, grid.most);
  }
  return fitted;
}

IntegerGrid GridOfRange(const IntegerGrid& grid, absl::Span<const double> floats) {
  IntegerGrid made = grid;
  const bool symmetric = IsSymmetric(grid);
  const std::vector<ChannelSums> sums = SumsOf(grid, {}, floats);
  const double steps = grid.most - grid.least - (symmetric && grid.least < 0 ? 1 : 0);
  if (!symmetric) made.zeros.resize(grid.scales.size());
  for (size_t c = 0; c < sums.size(); ++c) {
    const double scale = ScaleOfRange(sums[c], steps, symmetric);
    made.scales[c] = scale > 0 ? scale : grid.scales[c];
    if (symmetric) continue;
    made.zeros[c] = std::clamp(std::nearbyint(grid.least - sums[c].least / made.scales[c]),
                               grid.least, grid.most);
  }
  return made;
}

}  // namespace onnxcmp

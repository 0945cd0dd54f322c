#include "record/differences/lanes/scale_sum.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "record/base/thresholds.h"
#include "record/differences/lanes/lane_sums.h"

namespace onnxcmp {
namespace {

// Number of magnitudes held at a time.
constexpr int64_t kScaleStrip = 512;

}  // namespace

void ScaleSum::Add(const double* elements, int64_t count) {
  for (int64_t first = 0; first < count; first += kScaleStrip) {
    AddStrip(elements + first, std::min(kScaleStrip, count - first));
  }
}

void ScaleSum::Add(const ScaleSum& next) {
  squares_ += next.squares_;
  count_ += next.count_;
  sample_.insert(sample_.end(), next.sample_.begin(), next.sample_.end());
}

double ScaleSum::Scale() {
  if (count_ == 0) return 0;
  const double root = std::sqrt(squares_ / static_cast<double>(count_));
  // If at most half of them are below a fourth of the root, neither is the median, so it need not
  // be computed.
  size_t less = 0;
  for (const double magnitude : sample_) less += 4 * magnitude < root ? 1 : 0;
  if (less <= sample_.size() / 2) return root;
  const auto middle = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
  std::nth_element(sample_.begin(), middle, sample_.end());
  return std::min(root, 4 * *middle);
}

void ScaleSum::AddStrip(const double* elements, int64_t count) {
  // Magnitudes that count; 0 for the others, NaN among them.
  double magnitudes[kScaleStrip];
  int64_t counted = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double magnitude = std::abs(elements[i]);
    magnitudes[i] = magnitude < thresholds::kMaskMagnitude ? magnitude : 0;
    counted += magnitudes[i] > 0 ? 1 : 0;
  }
  LaneSum squares;
  ForEachInLanes(
      count, [&](int64_t i, int64_t lane) { squares.of[lane] += magnitudes[i] * magnitudes[i]; });
  for (const double square : squares.of) squares_ += square;
  count_ += counted;
  if (until_next_ > counted) {
    until_next_ -= counted;
    return;
  }
  if (counted == count) {
    int64_t next = until_next_ - 1;
    for (; next < count; next += step_) sample_.push_back(magnitudes[next]);
    until_next_ = next - count + 1;
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (magnitudes[i] == 0 || --until_next_ > 0) continue;
    sample_.push_back(magnitudes[i]);
    until_next_ = step_;
  }
}

}  // namespace onnxcmp

#include "feed/made_up/smooth_numbers.h"

#include <algorithm>
#include <cmath>

namespace onnxcmp {
namespace {

constexpr int64_t kShort = 8;  // axes of at most this size have no neighbours to speak of

// Axes that neighbours lie along.
std::vector<size_t> SmoothAxes(const Shape& shape) {
  std::vector<size_t> axes;
  if (shape.size() < 3) return axes;
  for (size_t axis = 1; axis < shape.size(); ++axis) {
    if (shape[axis] >= kShort) axes.push_back(axis);
  }
  if (shape.size() == 3) {
    if (axes.size() > 1) axes.erase(axes.begin());
    return axes;
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [&](size_t a, size_t b) { return shape[a] > shape[b]; });
  if (axes.size() > 2) axes.resize(2);
  return axes;
}

}  // namespace

SmoothNumbers::SmoothNumbers(const Shape& shape, RandomNumbers* random, int64_t cells, bool alike) {
  const std::vector<size_t> smooth = SmoothAxes(shape);
  if (smooth.empty()) return;
  int64_t stride = 1;
  int64_t coarse_stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    Axis one;
    one.stride = stride;
    one.length = shape[axis];
    one.coarse_stride = coarse_stride;
    const bool is_smooth = std::find(smooth.begin(), smooth.end(), axis) != smooth.end();
    if (is_smooth) one.every = std::max<int64_t>(4, one.length / cells);
    coarse_stride *= is_smooth ? (one.length - 1) / one.every + 2 : one.length;
    stride *= one.length;
    (is_smooth ? axes_ : others_).push_back(one);
  }
  coarse_.resize(static_cast<size_t>(coarse_stride));
  for (double& number : coarse_) number = random->Normal();
  if (alike) ShareAmongChannels(random);
}

// Channels are along the second axis, which is the last of the others: the first is the batch.
void SmoothNumbers::ShareAmongChannels(RandomNumbers* random) {
  constexpr double kShared = 0.9;
  if (others_.size() != 2) return;
  const Axis& channels = others_.front();
  const auto inner = static_cast<size_t>(channels.coarse_stride);
  const size_t outer = inner * static_cast<size_t>(channels.length);
  for (size_t first = 0; first < coarse_.size(); first += outer) {
    for (size_t place = first; place < first + inner; ++place) {
      const double shared = kShared * random->Normal();
      for (size_t at = place; at < first + outer; at += inner) {
        coarse_[at] = shared + std::sqrt(1 - kShared * kShared) * coarse_[at];
      }
    }
  }
}

double SmoothNumbers::At(int64_t i) const {
  int64_t base = 0;
  for (const Axis& axis : others_) base += i / axis.stride % axis.length * axis.coarse_stride;
  double sum = 0;
  double squares = 0;
  // Each corner of the cell that the element is in, by a bit an axis.
  for (unsigned corner = 0; corner < 1U << axes_.size(); ++corner) {
    int64_t at = base;
    double weight = 1;
    for (size_t a = 0; a < axes_.size(); ++a) {
      const Axis& axis = axes_[a];
      const int64_t place = i / axis.stride % axis.length;
      const double share =
          static_cast<double>(place % axis.every) / static_cast<double>(axis.every);
      const bool next = (corner >> a & 1U) != 0;
      at += (place / axis.every + (next ? 1 : 0)) * axis.coarse_stride;
      weight *= next ? share : 1 - share;
    }
    sum += weight * coarse_[static_cast<size_t>(at)];
    squares += weight * weight;
  }
  return sum / std::sqrt(squares);
}

SceneNumbers::SceneNumbers(const Shape& shape, RandomNumbers* random) {
  for (const int64_t cells : {1, 2, 4, 8}) {
    parts_.emplace_back(shape, random, cells, /*alike=*/true);
  }
}

double SceneNumbers::At(int64_t i) const {
  constexpr double kWhole = 0.7;  // of scenes that are as bright as a whole
  double sum = 0;
  double squares = 0;
  for (size_t part = 0; part < parts_.size(); ++part) {
    const double weight = part == 0 ? kWhole : 1;
    sum += weight * parts_[part].At(i);
    squares += weight * weight;
  }
  return sum / std::sqrt(squares);
}

}  // namespace onnxcmp

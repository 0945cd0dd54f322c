// Quantization to uint8 by the range of what is quantized.
#ifndef ONNXCMP_OPS_COMMON_QUANTIZED_DYNAMIC_QUANTIZATION_H_
#define ONNXCMP_OPS_COMMON_QUANTIZED_DYNAMIC_QUANTIZATION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {

// -min(x) as a maximum, with the same rule for NaN.
struct NegatedMaxFold : MaxFold {
  template <typename V, typename C>
  static V Map(V x, C) {
    return -x;
  }
};

template <typename C>
struct ByteScale {
  C scale;
  uint8_t zero_point;
};

// scale = (max(0, max(x)) - min(0, min(x))) / 255, zero point = round(-min(0, min(x)) / scale). Of
// zeros or of nothing both are 0. C: float or double.
template <typename C>
ByteScale<C> ByteScaleOf(const C* x, int64_t count) {
  // NaN is passed on.
  const auto positive = [](C value) { return value < 0 ? C{0} : value; };
  const C high = positive(FoldLane<MaxFold>(x, count));
  const C low = -positive(FoldLane<NegatedMaxFold>(x, count));
  const C scale = (high - low) / C{255};
  const C zero = std::nearbyint(-low / scale);
  return {scale, zero > 0 ? static_cast<uint8_t>(std::min(zero, C{255})) : uint8_t{0}};
}

// y[i] = what becomes of x[i] if x is quantized by its ByteScale and dequantized.
template <typename C>
void RoundToBytes(const C* x, int64_t count, C* y) {
  const ByteScale<C> range = ByteScaleOf(x, count);
  if (range.scale == 0) {
    std::fill_n(y, count, C{0});
    return;
  }
  const C low = -static_cast<C>(range.zero_point);
  const C high = C{255} + low;
  for (int64_t i = 0; i < count; ++i) {
    y[i] = std::clamp(std::nearbyint(x[i] / range.scale), low, high) * range.scale;
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_QUANTIZED_DYNAMIC_QUANTIZATION_H_

// The inverse of taking windows: adding them up again.
#ifndef ONNXCMP_OPS_COMMON_ADD_WINDOWS_H_
#define ONNXCMP_OPS_COMMON_ADD_WINDOWS_H_

#include <algorithm>
#include <cstdint>

#include "evaluator/tensor.h"
#include "evaluator/thread_pool.h"
#include "ops/common/pooling.h"
#include "ops/common/windows.h"

namespace onnxcmp {

// image[p, i] = start(p) + the sum of columns[p, t, o] over the taps t of the windows o that lie at
// i, in an order that the windows decide, for `planes` planes. What would lie in the padding is
// dropped.
template <typename C, typename Start>
void AddWindows(const ThreadPool& pool, const Windows& windows, int64_t planes, const C* columns,
                C* image, const Start& start) {
  int64_t pixels = 1;
  for (const WindowDim& dim : windows) pixels *= dim.input;
  const WindowDim& last = windows.back();
  const int64_t outputs = NumOutputs(windows);
  const int64_t taps = NumTaps(windows);
  const int64_t rows = last.output == 0 ? 0 : outputs / last.output;
  const Shape strides(windows.size(), 0);
  const auto add_plane = [&](const C* from, C* to) {
    for (int64_t row = 0; row < rows; ++row) {
      ForEachRow(windows, strides, row, taps / last.kernel, [&](int64_t at, int64_t, int64_t tap) {
        for (int64_t t = 0; t < last.kernel; ++t) {
          const TapRange range = WindowsWithTap(last, t);
          const C* column = from + (tap * last.kernel + t) * outputs + row * last.output;
          C* pixel = to + at + range.first;
          for (int64_t o = range.begin; o < range.end; ++o) pixel[o * last.stride] += column[o];
        }
      });
    }
  };
  const int64_t work = std::max<int64_t>(1, pixels + taps * outputs);
  pool.ParallelRanges(planes, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      std::fill_n(image + p * pixels, pixels, start(p));
      add_plane(columns + p * taps * outputs, image + p * pixels);
    }
  });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ADD_WINDOWS_H_

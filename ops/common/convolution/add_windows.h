// The inverse of taking windows: adding them up again.
#ifndef ONNXCMP_OPS_COMMON_CONVOLUTION_ADD_WINDOWS_H_
#define ONNXCMP_OPS_COMMON_CONVOLUTION_ADD_WINDOWS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/convolution/windows.h"
#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {

// Rows of an image, split by the stride of the windows: element q * stride + p of row r lies at
// Row(r, p)[q], so that what one tap of neighbouring windows is added to is contiguous.
template <typename C>
class PhaseImage {
 public:
  PhaseImage(int64_t rows, int64_t width, int64_t stride)
      : rows_(rows),
        width_(width),
        stride_(stride),
        phases_(std::min(stride, width)),
        pitch_((width - 1) / stride + 1),
        values_(static_cast<size_t>(rows * phases_ * pitch_)) {}

  void Fill(C value) { std::fill(values_.begin(), values_.end(), value); }
  // Where element i of a row lies.
  C* At(int64_t row, int64_t i) {
    return values_.data() + (row * phases_ + i % stride_) * pitch_ + i / stride_;
  }
  // Puts the rows together.
  void CopyTo(C* image) {
    for (int64_t row = 0; row < rows_; ++row, image += width_) {
      if (stride_ == 2) {
        InterleaveRows(At(row, 0), At(row, 1), width_, image);
        continue;
      }
      for (int64_t p = 0; p < phases_; ++p) {
        const C* from = At(row, p);
        for (int64_t i = p; i < width_; i += stride_) image[i] = *from++;
      }
    }
  }

 private:
  // to[2 i] = even[i], to[2 i + 1] = odd[i].
  static void InterleaveRows(const C* even, const C* odd, int64_t width, C* to) {
    int64_t i = 0;
    if constexpr (std::is_same_v<C, float>) {
      using V = FoldVector<float>::Type;
      for (; i + 16 <= width; i += 16) {
        V a;
        V b;
        std::memcpy(&a, even + i / 2, sizeof(V));
        std::memcpy(&b, odd + i / 2, sizeof(V));
        const V low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        const V high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
        std::memcpy(to + i, &low, sizeof(V));
        std::memcpy(to + i + 8, &high, sizeof(V));
      }
    }
    for (; i < width; ++i) to[i] = (i % 2 == 0 ? even : odd)[i / 2];
  }

  const int64_t rows_;
  const int64_t width_;
  const int64_t stride_;
  const int64_t phases_;
  const int64_t pitch_;
  std::vector<C> values_;
};

// to[i] += x[i].
template <typename C>
void AddTo(const C* x, int64_t count, C* to) {
  if constexpr (std::is_arithmetic_v<C>) {
    CombineRows<SumFold>(to, x, count, to);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] += x[i];
  }
}

// image[p, i] = start(p) + the sum of columns[p, t, o] over the taps t of the windows o that lie at
// i, in an order that the windows decide, for `planes` planes. What would lie in the padding is
// dropped.
template <typename C, typename Start>
void AddWindows(const ThreadPool& pool, const Windows& windows, int64_t planes, const C* columns,
                C* image, const Start& start) {
  int64_t pixels = 1;
  for (const WindowDim& dim : windows) pixels *= dim.input;
  if (pixels == 0) return;
  const WindowDim& last = windows.back();
  const int64_t outputs = NumOutputs(windows);
  const int64_t taps = NumTaps(windows);
  const int64_t rows = last.output == 0 ? 0 : outputs / last.output;
  const Shape strides(windows.size(), 0);
  const auto add_plane = [&](const C* from, PhaseImage<C>& to) {
    for (int64_t row = 0; row < rows; ++row) {
      ForEachRow(windows, strides, row, taps / last.kernel, [&](int64_t at, int64_t, int64_t tap) {
        for (int64_t t = 0; t < last.kernel; ++t) {
          const TapRange range = WindowsWithTap(last, t);
          if (range.begin >= range.end) continue;
          const C* column = from + (tap * last.kernel + t) * outputs + row * last.output;
          AddTo(column + range.begin, range.end - range.begin,
                to.At(at / last.input, range.begin * last.stride + range.first));
        }
      });
    }
  };
  const int64_t work = std::max<int64_t>(1, pixels + taps * outputs);
  pool.ParallelRanges(planes, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
    PhaseImage<C> sums(pixels / last.input, last.input, last.stride);
    for (int64_t p = begin; p < end; ++p) {
      sums.Fill(start(p));
      add_plane(columns + p * taps * outputs, sums);
      sums.CopyTo(image + p * pixels);
    }
  });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_CONVOLUTION_ADD_WINDOWS_H_

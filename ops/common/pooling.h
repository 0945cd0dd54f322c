// Folding the elements of each window into one: what the pools share.
#ifndef ONNXCMP_OPS_COMMON_POOLING_H_
#define ONNXCMP_OPS_COMMON_POOLING_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernel.h"
#include "evaluator/tensor.h"
#include "evaluator/thread_pool.h"
#include "ops/common/lane_fold.h"
#include "ops/common/windows.h"

namespace onnxcmp {

// Checks X (N x C x D1 ... Dn) of a pool against its attributes.
absl::StatusOr<Windows> PlanPool(const WindowAttributes& attributes, const Tensor& x);

// N x C x the windows' outputs.
Shape PoolShape(const Tensor& x, const Windows& windows);

// Takes away the taps that lie in the padding for all windows: a kernel may have far more of them
// than there are inputs. What is left is walked tap by tap, so it must be in proportion.
absl::Status DropPaddingTaps(Windows* windows);

// Y[n, c] = fold(X[n, c]'s elements) for GlobalAveragePool and its kin; the spatial dimensions stay
// as ones. C: float, double.
template <typename C>
absl::Status GlobalPool(KernelContext& ctx, absl::FunctionRef<C(const C* x, int64_t count)> fold);

// What AveragePool divides a window's sum by.
enum class PoolDivisor : uint8_t {
  kInputs,  // the number of its taps in the input
  kPadded,  // those in the input or its padding, not those that ceil_mode adds beyond
  kTaps,    // all of them
};

// In which order a window's taps are folded: as is fastest, or as they lie.
enum class WindowOrder : uint8_t { kRowsFirst, kTapByTap };

// The mean of each window of x, which is of type C (float, double) and contiguous. The mean of
// nothing is NaN.
template <typename C>
absl::StatusOr<Tensor> AverageWindows(const KernelContext& ctx, const Tensor& x, Windows windows,
                                      PoolDivisor divisor,
                                      WindowOrder order = WindowOrder::kRowsFirst);

// The same of input 0, to output 0; computed in float, double for double, and rounded once.
absl::Status EmitAverages(KernelContext& ctx, const WindowAttributes& attributes,
                          PoolDivisor divisor);

// The windows of a row that have tap `tap` in a row of inputs.
struct TapRange {
  int64_t first;       // the input of window 0, perhaps in the padding
  int64_t begin, end;  // windows
};
inline TapRange WindowsWithTap(const WindowDim& dim, int64_t tap) {
  const int64_t first = tap * dim.dilation - dim.pad_begin;
  return {first, first >= 0 ? 0 : (-first + dim.stride - 1) / dim.stride,
          dim.input > first ? std::min(dim.output, (dim.input - first - 1) / dim.stride + 1) : 0};
}

// Calls body(at, index, tap) for the rows of a plane (the spatial dimensions of one channel) that
// the windows of row `outputs` touch: where the row begins in memory, its index as `strides` count,
// and with which tap. Outputs and taps are counted without the last dimension.
template <typename Body>
void ForEachRow(const Windows& windows, absl::Span<const int64_t> strides, int64_t outputs,
                int64_t outer_taps, const Body& body) {
  for (int64_t tap = 0; tap < outer_taps; ++tap) {
    int64_t at = 0;
    int64_t index = 0;
    int64_t pitch = windows.back().input;
    bool inside = true;
    int64_t rest_output = outputs;
    int64_t rest_tap = tap;
    for (size_t d = windows.size() - 1; d-- > 0;) {
      const WindowDim& dim = windows[d];
      int64_t output = rest_output;  // of the outermost dimension, which needs no division
      int64_t dim_tap = rest_tap;
      if (d > 0) {
        output %= dim.output;
        dim_tap %= dim.kernel;
        rest_output /= dim.output;
        rest_tap /= dim.kernel;
      }
      const int64_t i = output * dim.stride - dim.pad_begin + dim_tap * dim.dilation;
      inside = inside && i >= 0 && i < dim.input;
      if (!inside) break;
      at += i * pitch;
      index += i * strides[d];
      pitch *= dim.input;
    }
    if (inside) body(at, index, tap);
  }
}

// ---- the machinery ----

// A row of inputs with its padding, split by the stride: position q * stride + p lies at [p][q], so
// that the same tap of neighbouring windows is contiguous.
template <typename Fold, typename C>
class PhaseRow {
 public:
  explicit PhaseRow(const WindowDim& dim)
      : dim_(dim),
        phases_(std::min(dim.stride, (dim.kernel - 1) * dim.dilation + 1)),
        pitch_(dim.output + (dim.kernel - 1) * dim.dilation / dim.stride),
        values_(static_cast<size_t>(phases_ * pitch_)),
        taps_(static_cast<size_t>(dim.kernel)) {
    for (int64_t t = 0; t < dim.kernel; ++t) {
      const int64_t position = t * dim.dilation;
      taps_[static_cast<size_t>(t)] =
          values_.data() + position % dim.stride * pitch_ + position / dim.stride;
    }
  }

  // Whether the row is not much longer than what it is made of (padding may be huge).
  static bool IsWorthwhile(const WindowDim& dim) {
    const int64_t length = (dim.output - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
    return length <= 2 * dim.input + 64;
  }

  void Set(const C* x) {
    for (int64_t p = 0; p < phases_; ++p) {
      // Of the positions of this phase, [begin, end) lie in the input.
      const int64_t first = p - dim_.pad_begin;
      const int64_t stride = dim_.stride;
      const int64_t begin =
          std::clamp<int64_t>(first >= 0 ? 0 : (stride - 1 - first) / stride, 0, pitch_);
      const int64_t end = std::clamp<int64_t>(
          dim_.input > first ? (dim_.input - first - 1) / stride + 1 : 0, begin, pitch_);
      C* to = values_.data() + p * pitch_;
      std::fill(to, to + begin, Fold::template Identity<C>());
      std::fill(to + end, to + pitch_, Fold::template Identity<C>());
      if (stride == 1) {
        std::copy(x + first + begin, x + first + end, to + begin);
      } else if (stride == 2) {
        for (int64_t q = begin; q < end; ++q) to[q] = x[first + q * 2];
      } else {
        for (int64_t q = begin; q < end; ++q) to[q] = x[first + q * stride];
      }
    }
  }

  // y[o] = window o, folded.
  void Take(C* y) const { FoldColumns<Fold>(taps_.data(), dim_.kernel, dim_.output, y); }

 private:
  const WindowDim& dim_;
  const int64_t phases_;
  const int64_t pitch_;
  std::vector<C> values_;
  std::vector<const C*> taps_;  // where the windows' taps begin in `values_`
};

// Planes: rows are folded first, then the windows of what is left.
template <typename Fold, typename C>
void FoldPlanes(const Windows& windows, int64_t planes, int64_t inputs, const C* x, C* y) {
  const WindowDim& last = windows.back();
  const int64_t rows = NumOutputs(windows) / last.output;
  const int64_t outer_taps = NumTaps(windows) / last.kernel;
  const Shape strides(windows.size(), 0);
  std::vector<C> row(static_cast<size_t>(last.input));
  std::vector<const C*> touched(static_cast<size_t>(outer_taps));
  PhaseRow<Fold, C> phases(last);
  for (int64_t plane = 0; plane < planes; ++plane, x += inputs) {
    for (int64_t i = 0; i < rows; ++i, y += last.output) {
      int64_t count = 0;
      ForEachRow(windows, strides, i, outer_taps, [&](int64_t at, int64_t, int64_t) {
        touched[static_cast<size_t>(count++)] = x + at;
      });
      FoldColumns<Fold>(touched.data(), count, last.input, row.data());
      phases.Set(row.data());
      phases.Take(y);
    }
  }
}

// The same, tap by tap: also for windows that lie far apart.
template <typename Fold, typename C>
void FoldPlanesByTaps(const Windows& windows, int64_t planes, int64_t inputs, const C* x, C* y) {
  const WindowDim& last = windows.back();
  const int64_t rows = NumOutputs(windows) / last.output;
  const int64_t outer_taps = NumTaps(windows) / last.kernel;
  const Shape strides(windows.size(), 0);
  for (int64_t plane = 0; plane < planes; ++plane, x += inputs) {
    for (int64_t i = 0; i < rows; ++i, y += last.output) {
      std::fill_n(y, last.output, Fold::template Identity<C>());
      ForEachRow(windows, strides, i, outer_taps, [&](int64_t at, int64_t, int64_t) {
        for (int64_t t = 0; t < last.kernel; ++t) {
          const TapRange range = WindowsWithTap(last, t);
          for (int64_t o = range.begin; o < range.end; ++o) {
            y[o] = Fold::Combine(y[o], x[at + o * last.stride + range.first]);
          }
        }
      });
    }
  }
}

// y[p, o] = the elements of plane p of x in window o, folded; the identity for padding alone.
// `windows` went through DropPaddingTaps, and there is at least one output.
template <typename Fold, typename C>
void FoldWindows(const ThreadPool& pool, const Windows& windows, int64_t planes, const C* x, C* y,
                 WindowOrder order = WindowOrder::kRowsFirst) {
  int64_t inputs = 1;
  for (const WindowDim& dim : windows) inputs *= dim.input;
  const int64_t outputs = NumOutputs(windows);
  const bool tap_by_tap =
      order == WindowOrder::kTapByTap || !PhaseRow<Fold, C>::IsWorthwhile(windows.back());
  pool.ParallelRanges(
      planes, std::max<int64_t>(1, 16384 / outputs), [&](int64_t begin, int64_t end) {
        (tap_by_tap ? FoldPlanesByTaps<Fold, C> : FoldPlanes<Fold, C>)(windows, end - begin, inputs,
                                                                       x + begin * inputs,
                                                                       y + begin * outputs);
      });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_POOLING_H_

// Folding the elements of each window into one: what the pools share.
#ifndef ONNXCMP_OPS_COMMON_CONVOLUTION_POOLING_H_
#define ONNXCMP_OPS_COMMON_CONVOLUTION_POOLING_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/convolution/windows.h"
#include "ops/common/reduction/fold_columns.h"
#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {

// Checks X (N x C x D1 ... Dn) of a pool against its attributes.
absl::StatusOr<Windows> PlanPool(const WindowAttributes& attributes, const Tensor& x);

// N x C x the windows' outputs.
Shape PoolShape(const Tensor& x, const Windows& windows);

// Takes away the taps that lie in the padding for all windows: a kernel may have far more of them
// than there are inputs. What is left is walked tap by tap, so it must be in proportion.
absl::Status DropPaddingTaps(Windows* windows);

// Y[n, c] = the fold of X[n, c]'s elements for GlobalAveragePool and the like; the spatial
// dimensions stay as ones. `fold` is given planes that lie one after the other, of `count` elements
// each, and fills y. C: float, double.
template <typename C>
absl::Status GlobalPool(
    KernelContext& ctx,
    absl::FunctionRef<void(const C* x, int64_t planes, int64_t count, C* y)> fold);

// The number that AveragePool divides a window's sum by.
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

// Rows of inputs with their padding, split by the stride: position q * stride + p of a row lies at
// its phase p, q, so that the same tap of neighbouring windows is contiguous. A few rows are filled
// before the first one is read: what was just written cannot be read at other offsets at once.
template <typename Fold, typename C>
class PhaseRows {
 public:
  static constexpr int64_t kRows = 4;

  explicit PhaseRows(const WindowDim& dim)
      : dim_(dim),
        length_((dim.output - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1),
        phases_(dim.stride == 2 ? 2 : std::min(dim.stride, (dim.kernel - 1) * dim.dilation + 1)),
        pitch_((length_ - 1) / dim.stride + 1),
        begin_(std::max<int64_t>(0, -dim.pad_begin)),
        end_(std::clamp(length_ - dim.pad_begin, begin_, std::max(begin_, dim.input))),
        values_(static_cast<size_t>(kRows * phases_ * pitch_), Fold::template Identity<C>()),
        folded_(static_cast<size_t>(dim.stride > 2 ? end_ - begin_ : 0)),
        taps_(static_cast<size_t>(dim.kernel)) {
    for (int64_t t = 0; t < dim.kernel; ++t) taps_[static_cast<size_t>(t)] = At(t * dim.dilation);
  }

  // True if a row is not much longer than what it is made of (padding may be huge).
  static bool IsWorthwhile(const WindowDim& dim) {
    const int64_t length = (dim.output - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
    return length <= 2 * dim.input + 64;
  }

  // Row i < kRows becomes the fold of the rows of inputs that begin at x + offsets[0], ...
  void Set(int64_t i, const C* x, const int64_t* offsets, int64_t rows) {
    has_nan_[i] = SetWith<QuickFold<Fold, C>>(i, x, offsets, rows);
    if (has_nan_[i]) SetWith<Fold>(i, x, offsets, rows);
  }

  // y[o] = finish(window o of row i, o).
  template <typename Finish>
  void Take(int64_t i, C* y, const Finish& finish) const {
    const C* row = values_.data() + i * phases_ * pitch_;
    if (has_nan_[i]) {
      FoldColumns<Fold>(row, taps_.data(), dim_.kernel, dim_.output, y, nullptr, finish);
    } else {
      FoldColumns<QuickFold<Fold, C>>(row, taps_.data(), dim_.kernel, dim_.output, y, nullptr,
                                      finish);
    }
  }

 private:
  // Where a position lies in its row.
  int64_t At(int64_t position) const {
    return position % dim_.stride * pitch_ + position / dim_.stride;
  }

  // Folds the rows; what lies in the padding stays. Returns what FoldColumns does.
  template <typename AnyFold>
  bool SetWith(int64_t i, const C* x, const int64_t* offsets, int64_t rows) {
    if (begin_ == end_) return false;
    C* row = values_.data() + i * phases_ * pitch_;
    const C* from = x + begin_;
    const int64_t width = end_ - begin_;
    const int64_t first = begin_ + dim_.pad_begin;  // a position
    if (dim_.stride == 1) {
      return FoldColumns<AnyFold>(from, offsets, rows, width, row + first);
    }
    if (dim_.stride == 2) {
      return DealColumns<AnyFold>(from, offsets, rows, width, row + At(first), row + At(first + 1));
    }
    const bool found = FoldColumns<AnyFold>(from, offsets, rows, width, folded_.data());
    for (int64_t p = 0; p < phases_; ++p) {
      const int64_t skip = (p - first % dim_.stride + dim_.stride) % dim_.stride;
      C* to = row + At(first + skip);  // the elements of this phase
      for (int64_t t = skip; t < width; t += dim_.stride) *to++ = folded_[static_cast<size_t>(t)];
    }
    return found;
  }

  const WindowDim& dim_;
  const int64_t length_;       // positions that windows touch
  const int64_t phases_;       // that hold taps
  const int64_t pitch_;        // positions of a phase
  const int64_t begin_, end_;  // the inputs among them
  std::vector<C> values_;
  std::vector<C> folded_;
  std::vector<int64_t> taps_;  // where the windows' taps begin in a row
  bool has_nan_[kRows] = {};
};

// The rows of inputs that the windows of a row of outputs touch: where they begin.
using TouchedRows = absl::Span<const int64_t>;

// Calls body(plane, first, touched) for all rows of outputs of every plane, in runs of neighbours,
// `first` and those after it. What they touch is worked out once for many rows.
template <typename Body>
void ForEachRunOfRows(const Windows& windows, int64_t planes, const Body& body) {
  constexpr int64_t kOffsets = 1 << 14;
  const int64_t rows = NumOutputs(windows) / windows.back().output;
  const int64_t outer_taps = NumTaps(windows) / windows.back().kernel;
  const int64_t at_once = std::clamp<int64_t>(kOffsets / outer_taps, 1, rows);
  const Shape strides(windows.size(), 0);
  std::vector<int64_t> offsets(static_cast<size_t>(at_once * outer_taps));
  std::vector<TouchedRows> touched;
  for (int64_t first = 0; first < rows; first += at_once) {
    touched.clear();
    int64_t* begin = offsets.data();
    for (int64_t row = first; row < std::min(first + at_once, rows); ++row) {
      int64_t* end = begin;
      ForEachRow(windows, strides, row, outer_taps,
                 [&](int64_t at, int64_t, int64_t) { *end++ = at; });
      touched.emplace_back(begin, end - begin);
      begin = end;
    }
    for (int64_t plane = 0; plane < planes; ++plane) body(plane, first, touched);
  }
}

// Planes: rows are folded first, then the windows of what is left.
template <typename Fold, typename C, typename Finish>
void FoldPlanes(const Windows& windows, int64_t planes, int64_t inputs, const C* x, C* y,
                const Finish& finish) {
  const int64_t outputs = NumOutputs(windows);
  const int64_t width = windows.back().output;
  PhaseRows<Fold, C> rows(windows.back());
  constexpr size_t kRows = PhaseRows<Fold, C>::kRows;
  ForEachRunOfRows(
      windows, planes, [&](int64_t plane, int64_t first, absl::Span<const TouchedRows> run) {
        const C* from = x + plane * inputs;
        C* to = y + plane * outputs + first * width;
        for (size_t begin = 0; begin < run.size(); begin += kRows) {
          const absl::Span<const TouchedRows> touched = run.subspan(begin, kRows);
          for (size_t i = 0; i < touched.size(); ++i) {
            rows.Set(static_cast<int64_t>(i), from, touched[i].data(),
                     static_cast<int64_t>(touched[i].size()));
          }
          for (size_t i = 0; i < touched.size(); ++i, to += width) {
            const int64_t row = first + static_cast<int64_t>(begin + i);
            rows.Take(static_cast<int64_t>(i), to,
                      [&]<typename V>(V value, int64_t o) { return finish(value, row, o); });
          }
        }
      });
}

// The same, tap by tap: also for windows that lie far apart.
template <typename Fold, typename C, typename Finish>
void FoldPlanesByTaps(const Windows& windows, int64_t planes, int64_t inputs, const C* x, C* y,
                      const Finish& finish) {
  const WindowDim& last = windows.back();
  const int64_t outputs = NumOutputs(windows);
  ForEachRunOfRows(windows, planes,
                   [&](int64_t plane, int64_t first, absl::Span<const TouchedRows> run) {
                     C* to = y + plane * outputs + first * last.output;
                     for (int64_t row = first; const TouchedRows& touched : run) {
                       std::fill_n(to, last.output, Fold::template Identity<C>());
                       for (const int64_t at : touched) {
                         const C* from = x + plane * inputs + at;
                         for (int64_t t = 0; t < last.kernel; ++t) {
                           const TapRange range = WindowsWithTap(last, t);
                           for (int64_t o = range.begin; o < range.end; ++o) {
                             to[o] = Fold::Combine(to[o], from[o * last.stride + range.first]);
                           }
                         }
                       }
                       for (int64_t o = 0; o < last.output; ++o) to[o] = finish(to[o], row, o);
                       to += last.output;
                       ++row;
                     }
                   });
}

// y[p, o] = finish(the elements of plane p of x in window o, folded; the identity for padding
// alone). Finish is called with a value, or with several neighbours' in a vector, with the row of
// outputs, the same for all planes, and the first one's place in that row. `windows` went through
// DropPaddingTaps, and there is at least one output.
template <typename Fold, typename C, typename Finish = AsFolded>
void FoldWindows(const ThreadPool& pool, const Windows& windows, int64_t planes, const C* x, C* y,
                 WindowOrder order = WindowOrder::kRowsFirst, const Finish& finish = {}) {
  int64_t inputs = 1;
  for (const WindowDim& dim : windows) inputs *= dim.input;
  const int64_t outputs = NumOutputs(windows);
  const bool tap_by_tap =
      order == WindowOrder::kTapByTap || !PhaseRows<Fold, C>::IsWorthwhile(windows.back());
  pool.ParallelRanges(
      planes, std::max<int64_t>(1, 16384 / outputs), [&](int64_t begin, int64_t end) {
        (tap_by_tap ? FoldPlanesByTaps<Fold, C, Finish>
                    : FoldPlanes<Fold, C, Finish>)(windows, end - begin, inputs, x + begin * inputs,
                                                   y + begin * outputs, finish);
      });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_CONVOLUTION_POOLING_H_

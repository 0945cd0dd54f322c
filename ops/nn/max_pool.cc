#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/lane_fold.h"
#include "ops/common/load_store.h"
#include "ops/common/windows.h"

namespace onnxcmp {
namespace {

// Strides of a plane (the spatial dimensions of one channel): in memory, and as the indices count.
struct PlaneStrides {
  Shape row_major;
  Shape counted;
};

PlaneStrides StridesOf(const Windows& windows, bool column_major) {
  PlaneStrides strides;
  strides.row_major.resize(windows.size());
  int64_t pitch = 1;
  for (size_t d = windows.size(); d-- > 0; pitch *= windows[d].input) strides.row_major[d] = pitch;
  strides.counted = strides.row_major;
  pitch = 1;
  for (size_t d = 0; d < windows.size() && column_major; pitch *= windows[d++].input) {
    strides.counted[d] = pitch;
  }
  return strides;
}

// y = max(y, x) for the windows of a row, for one tap; the first of equal elements and of NaNs
// wins.
template <typename C, bool kIndices>
void TakeTap(const WindowDim& last, int64_t tap, const C* x, C* y, int64_t index,
             int64_t index_step, int64_t* indices) {
  const int64_t first = tap * last.dilation - last.pad_begin;  // input of window 0
  const int64_t begin = first >= 0 ? 0 : (-first + last.stride - 1) / last.stride;
  const int64_t end =
      last.input > first ? std::min(last.output, (last.input - first - 1) / last.stride + 1) : 0;
  for (int64_t o = begin; o < end; ++o) {
    const int64_t i = o * last.stride + first;
    const C value = x[i];
    const bool takes = !(value <= y[o]) && y[o] == y[o];
    y[o] = takes ? value : y[o];
    if constexpr (kIndices)
      indices[o] = takes || indices[o] < 0 ? index + i * index_step : indices[o];
  }
}

// Calls body(begin of the row in memory, its index) for the rows of a plane that windows of one row
// of outputs touch; outputs and taps without the last dimension.
template <typename Body>
void ForEachRow(const Windows& windows, const PlaneStrides& strides, int64_t outputs,
                int64_t outer_taps, const Body& body) {
  for (int64_t tap = 0; tap < outer_taps; ++tap) {
    int64_t at = 0;
    int64_t index = 0;
    bool inside = true;
    int64_t rest_output = outputs;
    int64_t rest_tap = tap;
    for (size_t d = windows.size() - 1; d-- > 0;) {
      const WindowDim& dim = windows[d];
      const int64_t i = rest_output % dim.output * dim.stride - dim.pad_begin +
                        rest_tap % dim.kernel * dim.dilation;
      rest_output /= dim.output;
      rest_tap /= dim.kernel;
      inside = inside && i >= 0 && i < dim.input;
      at += i * strides.row_major[d];
      index += i * strides.counted[d];
    }
    if (inside) body(at, index);
  }
}

// A row of inputs with its padding, split by the stride: position q * stride + p lies at [p][q], so
// that the same tap of neighbouring windows is contiguous.
template <typename C>
class PhaseRow {
 public:
  explicit PhaseRow(const WindowDim& dim)
      : dim_(dim),
        phases_(std::min(dim.stride, (dim.kernel - 1) * dim.dilation + 1)),
        pitch_(dim.output + (dim.kernel - 1) * dim.dilation / dim.stride),
        values_(static_cast<size_t>(phases_ * pitch_)) {}

  // Whether the row is not much longer than what it is made of (padding may be huge).
  static bool IsWorthwhile(const WindowDim& dim) {
    const int64_t length = (dim.output - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
    return length <= 2 * dim.input + 64;
  }

  void Set(const C* x) {
    C* to = values_.data();
    for (int64_t p = 0; p < phases_; ++p) {
      for (int64_t q = 0; q < pitch_; ++q) {
        const int64_t i = q * dim_.stride + p - dim_.pad_begin;
        *to++ = i >= 0 && i < dim_.input ? x[i] : -std::numeric_limits<C>::infinity();
      }
    }
  }

  // y[o] = the greatest of window o.
  void Take(C* y) const {
    std::fill_n(y, dim_.output, -std::numeric_limits<C>::infinity());
    for (int64_t t = 0; t < dim_.kernel; ++t) {
      const int64_t position = t * dim_.dilation;
      FoldRow<MaxFold, C>(y,
                          values_.data() + position % dim_.stride * pitch_ + position / dim_.stride,
                          nullptr, dim_.output);
    }
  }

 private:
  const WindowDim& dim_;
  const int64_t phases_;
  const int64_t pitch_;
  std::vector<C> values_;
};

// Planes without indices: rows are folded first, then the windows of what is left.
template <typename C>
class PlanePool {
 public:
  PlanePool(const Windows& windows, const PlaneStrides& strides)
      : windows_(windows),
        strides_(strides),
        row_(static_cast<size_t>(windows.back().input)),
        phases_(windows.back()) {}

  void Run(const C* x, C* y) {
    const WindowDim& last = windows_.back();
    const int64_t rows = NumOutputs(windows_) / last.output;
    const int64_t outer_taps = NumTaps(windows_) / last.kernel;
    for (int64_t row = 0; row < rows; ++row, y += last.output) {
      std::fill(row_.begin(), row_.end(), -std::numeric_limits<C>::infinity());
      ForEachRow(windows_, strides_, row, outer_taps, [&](int64_t at, int64_t) {
        FoldRow<MaxFold, C>(row_.data(), x + at, nullptr, last.input);
      });
      phases_.Set(row_.data());
      phases_.Take(y);
    }
  }

 private:
  const Windows& windows_;
  const PlaneStrides& strides_;
  std::vector<C> row_;
  PhaseRow<C> phases_;
};

// Planes with indices (which may be null all the same).
template <typename C>
void PoolPlane(const Windows& windows, const PlaneStrides& strides, const C* x, C* y,
               int64_t* indices) {
  const WindowDim& last = windows.back();
  const int64_t rows = NumOutputs(windows) / last.output;
  const int64_t outer_taps = NumTaps(windows) / last.kernel;
  std::fill_n(y, rows * last.output, -std::numeric_limits<C>::infinity());
  if (indices != nullptr) std::fill_n(indices, rows * last.output, int64_t{-1});
  for (int64_t row = 0; row < rows; ++row, y += last.output) {
    ForEachRow(windows, strides, row, outer_taps, [&](int64_t at, int64_t index) {
      for (int64_t t = 0; t < last.kernel; ++t) {
        if (indices == nullptr) {
          TakeTap<C, false>(last, t, x + at, y, 0, 0, nullptr);
        } else {
          TakeTap<C, true>(last, t, x + at, y, index, strides.counted.back(), indices);
        }
      }
    });
    if (indices != nullptr) indices += last.output;
  }
}

// Takes away the taps that lie in the padding for all windows: a kernel may have far more of them
// than there are inputs. What is left is walked tap by tap, so it must be in proportion.
absl::Status DropPaddingTaps(Windows* windows) {
  for (WindowDim& dim : *windows) {
    const int64_t ahead = dim.pad_begin - (dim.output - 1) * dim.stride;  // of the last window
    const int64_t behind = dim.pad_begin + dim.input;                     // of the first one
    int64_t begin = ahead > 0 ? (ahead + dim.dilation - 1) / dim.dilation : 0;
    int64_t end = behind > 0 ? std::min(dim.kernel, (behind - 1) / dim.dilation + 1) : 0;
    if (begin >= end) {  // nothing but padding: any one tap
      begin = std::min(begin, dim.kernel - 1);
      end = begin + 1;
    }
    if (end - begin > 4 * dim.input + 1024) {
      return absl::InvalidArgumentError(absl::StrCat("a kernel of ", dim.kernel, " for ", dim.input,
                                                     " elements is almost all padding"));
    }
    dim.pad_begin -= begin * dim.dilation;
    dim.kernel = end - begin;
  }
  return absl::OkStatus();
}

template <typename C>
absl::Status Pool(KernelContext& ctx, const WindowAttributes& attributes, bool column_major) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  if (x.rank() < 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have a rank of at least 3, not ", x.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(Windows windows,
                      attributes.Resolve(absl::MakeConstSpan(x.shape()).subspan(2), {}));
  Shape shape = {x.dim(0), x.dim(1)};
  for (const WindowDim& dim : windows) shape.push_back(dim.output);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  Tensor indices;
  if (ctx.HasOutput(1)) {
    OC_ASSIGN_OR_RETURN(indices, ctx.Allocate(DType::kInt64, shape));
  }
  if (y.num_elements() > 0) {
    OC_RETURN_IF_ERROR(DropPaddingTaps(&windows));
    const PlaneStrides strides = StridesOf(windows, column_major);
    const int64_t planes = shape[0] * shape[1];
    const int64_t inputs = x.num_elements() / planes;
    const int64_t outputs = NumOutputs(windows);
    C* values = y.mutable_data<C>();
    int64_t* numbers = indices.defined() ? indices.mutable_data<int64_t>() : nullptr;
    const int64_t grain = std::max<int64_t>(1, 16384 / outputs);
    ctx.pool().ParallelRanges(planes, grain, [&](int64_t begin, int64_t end) {
      if (numbers == nullptr && PhaseRow<C>::IsWorthwhile(windows.back())) {
        PlanePool<C> pool(windows, strides);
        for (int64_t i = begin; i < end; ++i) {
          pool.Run(x.data<C>() + i * inputs, values + i * outputs);
        }
        return;
      }
      for (int64_t i = begin; i < end; ++i) {
        int64_t* plane_numbers = numbers == nullptr ? nullptr : numbers + i * outputs;
        PoolPlane<C>(windows, strides, x.data<C>() + i * inputs, values + i * outputs,
                     plane_numbers);
        for (int64_t j = 0; j < outputs && numbers != nullptr; ++j) {
          if (plane_numbers[j] >= 0) plane_numbers[j] += i * inputs;
        }
      }
    });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype, Overflow::kSaturate));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  return indices.defined() ? ctx.SetOutput(1, std::move(indices)) : absl::OkStatus();
}

// MaxPool (ai.onnx 1, 8, 10, 11, 12, 22): Y[n, c, o] = the greatest element of X[n, c] in window o.
// Indices (since 8) are the elements' positions in X, spatial dimensions counted in column-major
// order with storage_order 1. NaN is greater than all; the first of equals wins; a window that
// holds padding only gives the least value of the type and the index -1.
Kernel MaxPool(const KernelInit& node) {
  const bool column_major = node.Int("storage_order", 0) != 0;
  return [attributes = WindowAttributes(node), column_major](KernelContext& ctx) {
    // Every other type's elements are floats.
    return ctx.Input(0).dtype() == DType::kDouble ? Pool<double>(ctx, attributes, column_major)
                                                  : Pool<float>(ctx, attributes, column_major);
  };
}

}  // namespace

void RegisterMaxPool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MaxPool", {1, 8, 10, 11, 12, 22}, MaxPool);
}

}  // namespace onnxcmp

#include <algorithm>
#include <limits>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

// How indices count the spatial dimensions of one channel.
Shape IndexStrides(const Windows& windows, bool column_major) {
  Shape strides(windows.size());
  int64_t pitch = 1;
  for (size_t i = 0; i < windows.size(); ++i) {
    const size_t d = column_major ? i : windows.size() - 1 - i;
    strides[d] = pitch;
    pitch *= windows[d].input;
  }
  return strides;
}

// The greatest of a plane's windows and their indices; the first of equals and of NaNs wins.
template <typename C>
void PoolPlane(const Windows& windows, const Shape& strides, const C* x, C* y, int64_t* indices) {
  const WindowDim& last = windows.back();
  const int64_t rows = NumOutputs(windows) / last.output;
  const int64_t outer_taps = NumTaps(windows) / last.kernel;
  std::fill_n(y, rows * last.output, -std::numeric_limits<C>::infinity());
  std::fill_n(indices, rows * last.output, int64_t{-1});
  for (int64_t row = 0; row < rows; ++row, y += last.output, indices += last.output) {
    ForEachRow(windows, strides, row, outer_taps, [&](int64_t at, int64_t index, int64_t) {
      for (int64_t t = 0; t < last.kernel; ++t) {
        const TapRange range = WindowsWithTap(last, t);
        for (int64_t o = range.begin; o < range.end; ++o) {
          const int64_t i = o * last.stride + range.first;
          const C value = x[at + i];
          const bool takes = !(value <= y[o]) && y[o] == y[o];
          y[o] = takes ? value : y[o];
          indices[o] = takes || indices[o] < 0 ? index + i * strides.back() : indices[o];
        }
      }
    });
  }
}

template <typename C>
absl::Status Pool(KernelContext& ctx, const WindowAttributes& attributes, bool column_major) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(Windows windows, PlanPool(attributes, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  const Shape shape = PoolShape(x, windows);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  Tensor indices;
  if (ctx.HasOutput(1)) {
    OC_ASSIGN_OR_RETURN(indices, ctx.Allocate(DType::kInt64, shape));
  }
  if (y.num_elements() > 0) {
    OC_RETURN_IF_ERROR(DropPaddingTaps(&windows));
    OC_RETURN_IF_ERROR(CheckWork(
        ctx, static_cast<double>(y.num_elements()) * static_cast<double>(NumTaps(windows))));
    const int64_t planes = shape[0] * shape[1];
    C* values = y.mutable_data<C>();
    if (indices.defined()) {
      const Shape strides = IndexStrides(windows, column_major);
      const int64_t inputs = x.num_elements() / planes;
      const int64_t outputs = NumOutputs(windows);
      int64_t* numbers = indices.mutable_data<int64_t>();
      const int64_t grain = std::max<int64_t>(1, 16384 / outputs);
      ctx.pool().ParallelRanges(planes, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t* plane = numbers + i * outputs;
          PoolPlane<C>(windows, strides, x.data<C>() + i * inputs, values + i * outputs, plane);
          for (int64_t j = 0; j < outputs; ++j) {
            if (plane[j] >= 0) plane[j] += i * inputs;
          }
        }
      });
    } else {
      FoldWindows<MaxFold, C>(ctx.pool(), windows, planes, x.data<C>(), values);
    }
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype, Overflow::kSaturate));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  return indices.defined() ? ctx.SetOutput(1, std::move(indices)) : absl::OkStatus();
}

// MaxPool (ai.onnx 1, 8, 10, 11, 12, 22): Y[n, c, o] = the greatest element of X[n, c] in window o.
// Indices (since 8) are the elements' positions in X, spatial dimensions counted in column-major
// order with storage_order 1. NaN is greater than all; the first of equals wins; a window that
// holds padding only gives the least value of the type and the index -1.
absl::StatusOr<Kernel> MaxPool(const KernelInit& node) {
  const bool column_major = node.Int("storage_order", 0) != 0;
  OC_ASSIGN_OR_RETURN(const WindowAttributes attributes, WindowAttributes::FromNode(node));
  return FloatKernel(0, [attributes, column_major]<typename C>(KernelContext& ctx) {
    return Pool<C>(ctx, attributes, column_major);  // every other type's elements are floats
  });
}

}  // namespace

void RegisterMaxPool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MaxPool", {1, 8, 10, 11, 12, 22}, MaxPool);
}

}  // namespace onnxcmp

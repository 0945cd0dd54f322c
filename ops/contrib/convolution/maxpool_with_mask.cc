#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

// The greatest element of window `output` of a plane; the rows of the window are cut off at their
// first masked element.
template <typename C>
C MaxUpToMask(const Windows& windows, int64_t output, const C* x, const int32_t* mask) {
  const WindowDim& last = windows.back();
  const int64_t start = output % last.output * last.stride - last.pad_begin;
  const int64_t begin = std::max<int64_t>(start, 0);
  const int64_t end = std::min(start + last.kernel, last.input);
  const bool keeps_first = windows.size() > 1;
  C greatest = std::numeric_limits<C>::lowest();
  const Shape strides(windows.size(), 0);
  ForEachRow(windows, strides, output / last.output, NumTaps(windows) / last.kernel,
             [&](int64_t at, int64_t, int64_t) {
               for (int64_t i = at + begin; i < at + end; ++i) {
                 if (mask[i] == 0 && !(keeps_first && i == 0)) break;
                 if (x[i] > greatest) greatest = x[i];
               }
             });
  return greatest;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const WindowAttributes& attributes) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor mask, ctx.ContiguousInput(1));
  OC_ASSIGN_OR_RETURN(Windows windows, PlanPool(attributes, x));
  const bool fits = mask.rank() == x.rank() &&
                    std::equal(x.shape().begin() + 2, x.shape().end(), mask.shape().begin() + 2) &&
                    (x.num_elements() == 0 || mask.num_elements() > 0);
  if (!fits || windows.size() > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("X and M must have 1 to 3 spatial dimensions and agree in them, not be ",
                     x.TypeString(), " and ", mask.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, PoolShape(x, windows)));
  OC_RETURN_IF_ERROR(DropPaddingTaps(&windows));
  OC_RETURN_IF_ERROR(CheckWork(
      ctx, static_cast<double>(y.num_elements()) * static_cast<double>(NumTaps(windows))));
  C* out = y.mutable_data<C>();
  if (x.num_elements() == 0) {
    std::fill_n(out, y.num_elements(), std::numeric_limits<C>::lowest());
  } else {
    const int64_t outputs = NumOutputs(windows);
    const int64_t inputs = x.num_elements() / (x.dim(0) * x.dim(1));
    const int64_t mask_planes = mask.num_elements() / inputs;
    ctx.pool().ParallelRanges(y.num_elements(), 4096, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i / outputs * inputs;
        out[i] = MaxUpToMask(windows, i % outputs, x.data<C>() + first,
                             mask.data<int32_t>() + first % mask_planes);
      }
    });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// MaxpoolWithMask (com.microsoft 1): the greatest element of each window, but in each of its rows
// only up to the first element whose mask is 0; the lowest number if there is none. The operator
// has no definition but onnxruntime's kernel, whose ways are kept: the first element of a plane is
// never masked if there are two or three spatial dimensions, and a mask of several planes is read
// from element p * plane size mod number of planes on for plane p, not from its plane p. With one
// plane, which is the usual mask, both are the same.
absl::StatusOr<Kernel> MaxpoolWithMask(const KernelInit& node) {
  node.Ignore("storage_order");  // of indices, which this operator does not give
  OC_ASSIGN_OR_RETURN(const WindowAttributes attributes, WindowAttributes::FromNode(node));
  return FloatKernel(
      0, [attributes]<typename C>(KernelContext& ctx) { return Run<C>(ctx, attributes); });
}

}  // namespace

void RegisterContribMaxpoolWithMask(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MaxpoolWithMask", {1}, MaxpoolWithMask);
}

}  // namespace onnxcmp

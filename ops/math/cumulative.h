// Running folds along an axis, for CumSum and CumProd.
#ifndef ONNXCMP_OPS_MATH_CUMULATIVE_H_
#define ONNXCMP_OPS_MATH_CUMULATIVE_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lane_fold.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {

// A lane of neighbours, which stays in a register. `step` is 1, or -1 from the end.
template <typename Fold, typename C>
void AccumulateLane(const C* x, int64_t length, int64_t step, bool exclusive, C* y) {
  C last = exclusive ? Fold::template Identity<C>() : *x;
  *y = last;
  if (!exclusive) x += step;
  for (int64_t k = 1; k < length; ++k, x += step) {
    last = Fold::Combine(last, *x);
    y += step;
    *y = last;
  }
}

// y[k] = x[0] o x[1] o ... o x[k] along the axis, without x[k] if exclusive, from the end if
// reverse. `Fold` has Identity() and Combine(a, b), as in lane_fold.h.
template <typename Fold, typename C>
absl::Status Accumulate(KernelContext& ctx, int axis, bool exclusive, bool reverse) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, x.shape()));
  if (y.num_elements() > 0) {
    const LaneShape lanes = LanesAlong(x.shape(), axis);
    const C* from = x.data<C>();
    C* to = y.mutable_data<C>();
    const int64_t inner = lanes.inner;
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        if (inner == 1) {
          const int64_t first = o * lanes.length + (reverse ? lanes.length - 1 : 0);
          AccumulateLane<Fold>(from + first, lanes.length, reverse ? -1 : 1, exclusive, to + first);
          continue;
        }
        for (int64_t i = 0; i < lanes.length; ++i) {
          const int64_t k = reverse ? lanes.length - 1 - i : i;
          const int64_t row = (o * lanes.length + k) * inner;
          const int64_t before = row + (reverse ? inner : -inner);
          if (i == 0 && exclusive) {
            std::fill(to + row, to + row + inner, Fold::template Identity<C>());
          } else if (i == 0) {
            std::copy(from + row, from + row + inner, to + row);
          } else {
            const C* next = from + (exclusive ? before : row);
            CombineRows<Fold>(to + before, next, inner, to + row);
          }
        }
      }
    };
    ctx.pool().ParallelRanges(lanes.outer, LaneGrain(lanes.length * inner, 1), run);
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

template <typename Fold>
Kernel CumulativeKernel(const KernelInit& node) {
  const bool exclusive = node.Flag("exclusive");
  const bool reverse = node.Flag("reverse");
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const int64_t given, ctx.ScalarInput<int64_t>(1));
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(given, x.rank()));
    return Dispatch<Wrapping>(x.dtype(), [&]<typename C>() {
      return Accumulate<Fold, C>(ctx, axis, exclusive, reverse);
    });
  };
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_MATH_CUMULATIVE_H_

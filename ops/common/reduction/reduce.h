// Reductions over any axes of any tensor.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_REDUCE_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_REDUCE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {

enum class Reduction : uint8_t {
  kSum,          // integers wrap
  kMean,         // integers: the exact mean, truncated; of nothing: NaN, or 0 for integers
  kMax,          // NaN if any element is NaN; of nothing: the least value of the type
  kMin,          // NaN if any element is NaN; of nothing: the greatest value of the type
  kProduct,      // integers wrap; of nothing: 1
  kAbsoluteSum,  // of |x|; integers wrap
  kSquareSum,    // of x * x; integers wrap
};

// The reduction over `axes` (all different; none: a copy in effect). Floats narrower than float are
// reduced in float and rounded once.
absl::StatusOr<Tensor> Reduce(const KernelContext& ctx, const Tensor& x, const Axes& axes,
                              bool keepdims, Reduction reduction);

// Mean and population variance over `axes`, computed in two passes, for every position of the kept
// axes in row-major order. C: float or double. Requires at least one element a lane.
template <typename C>
void Moments(const ThreadPool& pool, const Tensor& x, const Axes& axes, std::vector<C>& mean,
             std::vector<C>& variance);

// The kernel of the Reduce* operators: `axes` is an attribute in schemas before `axes_input_since`,
// afterwards input 1 with the attribute noop_with_empty_axes, which means that the lanes have one
// element each.
Kernel ReduceKernel(const KernelInit& node, Reduction reduction, int axes_input_since);
// The same for reductions of several steps.
using ReduceFunction = std::function<absl::StatusOr<Tensor>(
    const KernelContext& ctx, const Tensor& x, const Axes& axes, bool keepdims)>;
Kernel ReduceKernel(const KernelInit& node, ReduceFunction reduce, int axes_input_since);

// The shape that is left.
Shape ReducedShape(const Tensor& x, const Axes& axes, bool keepdims);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_REDUCE_H_

#include <array>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::StatusOr<Tensor> EuclideanNorm(const KernelContext& ctx, const Tensor& data, const Axes& axes,
                                     bool keepdims) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, data));
  OC_ASSIGN_OR_RETURN(const Tensor sum, Reduce(ctx, x, axes, keepdims, Reduction::kSquareSum));
  return ElementwiseIn<C>(ctx, std::array<const Tensor*, 1>{&sum}, data.dtype(),
                          [](auto strip) { return vec::Sqrt(strip); });
}

// ReduceL2 (ai.onnx 1, 11, 13, 18): the square root of the sum of x * x over `axes` (input 1 from
// 18 on). Integers are computed in double and truncated; of no elements it is 0.
Kernel ReduceL2(const KernelInit& node) {
  const auto reduce = [](const KernelContext& ctx, const Tensor& data, const Axes& axes,
                         bool keepdims) {
    return IsInteger(data.dtype()) || data.dtype() == DType::kDouble
               ? EuclideanNorm<double>(ctx, data, axes, keepdims)
               : EuclideanNorm<float>(ctx, data, axes, keepdims);
  };
  return ReduceKernel(node, reduce, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceL2(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceL2", AllVersions(1, 18), ReduceL2);
}

}  // namespace onnxcmp

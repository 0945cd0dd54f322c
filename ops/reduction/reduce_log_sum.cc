#include <array>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::StatusOr<Tensor> LogOfSum(const KernelContext& ctx, const Tensor& data, const Axes& axes,
                                bool keepdims) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, data));
  OC_ASSIGN_OR_RETURN(const Tensor sum, Reduce(ctx, x, axes, keepdims, Reduction::kSum));
  return ElementwiseIn<C>(ctx, std::array<const Tensor*, 1>{&sum}, data.dtype(),
                          [](auto strip) { return vec::Log(strip); });
}

// ReduceLogSum (ai.onnx 1, 11, 13, 18, 28): the logarithm of the sum over `axes` (input 1 from 18
// on). Integers (up to 18) are computed in double and truncated; of no elements it is -infinity.
Kernel ReduceLogSum(const KernelInit& node) {
  const auto reduce = [](const KernelContext& ctx, const Tensor& data, const Axes& axes,
                         bool keepdims) {
    return IsInteger(data.dtype()) || data.dtype() == DType::kDouble
               ? LogOfSum<double>(ctx, data, axes, keepdims)
               : LogOfSum<float>(ctx, data, axes, keepdims);
  };
  return ReduceKernel(node, reduce, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceLogSum(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceLogSum", AllVersions(1, 28), ReduceLogSum);
}

}  // namespace onnxcmp

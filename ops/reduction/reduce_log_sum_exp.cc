#include <array>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// log(sum(exp(x - m))) + m, where m is the greatest element, or 0 if that is not finite.
template <typename C>
absl::StatusOr<Tensor> LogSumExp(const KernelContext& ctx, const Tensor& data, const Axes& axes,
                                 bool keepdims) {
  constexpr DType kType = kDTypeOf<C>;
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, data));
  OC_ASSIGN_OR_RETURN(Tensor greatest, Reduce(ctx, x, axes, /*keepdims=*/true, Reduction::kMax));
  OC_ASSIGN_OR_RETURN(greatest,
                      ElementwiseIn<C>(ctx, std::array<const Tensor*, 1>{&greatest}, kType,
                                       [](auto m) { return (m - m == C{0}).select(m, C{0}); }));
  OC_ASSIGN_OR_RETURN(const Tensor powers,
                      ElementwiseIn<C>(ctx, std::array<const Tensor*, 2>{&x, &greatest}, kType,
                                       [](auto v, auto m) { return vec::Exp(v - m); }));
  OC_ASSIGN_OR_RETURN(const Tensor sum,
                      Reduce(ctx, powers, axes, /*keepdims=*/true, Reduction::kSum));
  OC_ASSIGN_OR_RETURN(
      const Tensor result,
      ElementwiseIn<C>(ctx, std::array<const Tensor*, 2>{&sum, &greatest}, data.dtype(),
                       [](auto s, auto m) { return vec::Log(s) + m; }));
  return result.Reshaped(ReducedShape(data, axes, keepdims));
}

// ReduceLogSumExp (ai.onnx 1, 11, 13, 18, 28): the logarithm of the sum of exp(x) over `axes`
// (input 1 from 18 on), without overflow. Integers (up to 18) are computed in double and truncated;
// of no elements it is -infinity.
Kernel ReduceLogSumExp(const KernelInit& node) {
  const auto reduce = [](const KernelContext& ctx, const Tensor& data, const Axes& axes,
                         bool keepdims) {
    return IsInteger(data.dtype()) || data.dtype() == DType::kDouble
               ? LogSumExp<double>(ctx, data, axes, keepdims)
               : LogSumExp<float>(ctx, data, axes, keepdims);
  };
  return ReduceKernel(node, reduce, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceLogSumExp(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceLogSumExp", AllVersions(1, 28), ReduceLogSumExp);
}

}  // namespace onnxcmp

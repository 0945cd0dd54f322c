#include <utility>

#include "evaluator/op_registry.h"
#include "ops/common/compute_class.h"
#include "ops/common/load_store.h"
#include "ops/common/pooling.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Pool(KernelContext& ctx, const WindowAttributes& attributes, PoolDivisor divisor) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Windows windows, PlanPool(attributes, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(Tensor y, AverageWindows<C>(ctx, x, windows, divisor));
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// AveragePool (ai.onnx 1, 7, 10, 11, 19, 22): Y[n, c, o] = the mean of X[n, c]'s elements in window
// o; with count_include_pad (since 7) the padding counts as zeros, but not what windows of
// ceil_mode cover beyond it. The mean of padding alone, if that does not count, is NaN.
Kernel AveragePool(const KernelInit& node) {
  const PoolDivisor divisor =
      node.Int("count_include_pad", 0) != 0 ? PoolDivisor::kPadded : PoolDivisor::kInputs;
  return [attributes = WindowAttributes(node), divisor](KernelContext& ctx) {
    return DispatchFloat(ctx.Input(0).dtype(),
                         [&]<typename C>() { return Pool<C>(ctx, attributes, divisor); });
  };
}

}  // namespace

void RegisterAveragePool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "AveragePool", {1, 7, 10, 11, 19, 22}, AveragePool);
}

}  // namespace onnxcmp

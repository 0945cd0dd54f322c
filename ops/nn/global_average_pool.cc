#include "evaluator/op_registry.h"
#include "ops/common/compute_class.h"
#include "ops/common/lanes.h"
#include "ops/common/pooling.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Average(KernelContext& ctx) {
  return GlobalPool<C>(
      ctx, [](const C* x, int64_t count) { return LaneSum(x, count) / static_cast<C>(count); });
}

// GlobalAveragePool (ai.onnx 1, 22): Y[n, c] = the mean of X[n, c] over all spatial dimensions,
// which stay as ones. The mean of nothing is NaN.
absl::Status GlobalAveragePool(KernelContext& ctx) {
  return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() { return Average<C>(ctx); });
}

}  // namespace

void RegisterGlobalAveragePool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GlobalAveragePool", {1, 22}, GlobalAveragePool);
}

}  // namespace onnxcmp

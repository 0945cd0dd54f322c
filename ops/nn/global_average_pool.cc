#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Average(KernelContext& ctx) {
  return GlobalPool<C>(ctx, [](const C* x, int64_t planes, int64_t count, C* y) {
    FoldLanes<SumFold, C>(x, count, planes, count, nullptr, y);
    for (int64_t i = 0; i < planes; ++i) y[i] /= static_cast<C>(count);
  });
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

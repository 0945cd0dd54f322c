#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {
namespace {

// GlobalMaxPool (ai.onnx 1, 22): Y[n, c] = the greatest element of X[n, c], whose spatial
// dimensions stay as ones. NaN is greater than all; the greatest of nothing is -infinity.
absl::Status GlobalMaxPool(KernelContext& ctx) {
  return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() {
    return GlobalPool<C>(ctx, [](const C* x, int64_t planes, int64_t count, C* y) {
      FoldLanes<MaxFold, C>(x, count, planes, count, nullptr, y);
    });
  });
}

}  // namespace

void RegisterGlobalMaxPool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GlobalMaxPool", {1, 22}, GlobalMaxPool);
}

}  // namespace onnxcmp

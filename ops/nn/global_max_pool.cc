#include "evaluator/op_registry.h"
#include "ops/common/compute_class.h"
#include "ops/common/lanes.h"
#include "ops/common/pooling.h"

namespace onnxcmp {
namespace {

// GlobalMaxPool (ai.onnx 1, 22): Y[n, c] = the greatest element of X[n, c], whose spatial
// dimensions stay as ones. NaN is greater than all; the greatest of nothing is -infinity.
absl::Status GlobalMaxPool(KernelContext& ctx) {
  return DispatchFloat(ctx.Input(0).dtype(),
                       [&]<typename C>() { return GlobalPool<C>(ctx, LaneMax<C>); });
}

}  // namespace

void RegisterGlobalMaxPool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GlobalMaxPool", {1, 22}, GlobalMaxPool);
}

}  // namespace onnxcmp

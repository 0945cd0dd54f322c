#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// GreaterOrEqual (ai.onnx 12, 16): C = A >= B, broadcast; false if either is NaN.
absl::Status GreaterOrEqual(KernelContext& ctx) {
  return EmitCompare<Numbers>(ctx, [](auto a, auto b) { return a >= b; });
}

}  // namespace

void RegisterGreaterOrEqual(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GreaterOrEqual", AllVersions(12, 16), GreaterOrEqual);
}

}  // namespace onnxcmp

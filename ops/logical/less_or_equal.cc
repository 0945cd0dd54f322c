#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// LessOrEqual (ai.onnx 12, 16): C = A <= B, broadcast; false if either is NaN.
absl::Status LessOrEqual(KernelContext& ctx) {
  return EmitCompare<Numbers>(ctx, [](auto a, auto b) { return a <= b; });
}

}  // namespace

void RegisterLessOrEqual(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LessOrEqual", AllVersions(12, 16), LessOrEqual);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Tan (ai.onnx 7, 22): Y = tan(X), X in radians.
absl::Status Tan(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Tan(x); });
}

}  // namespace

void RegisterTan(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Tan", AllVersions(7, 22), Tan);
}

}  // namespace onnxcmp

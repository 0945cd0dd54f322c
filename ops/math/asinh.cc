#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Asinh (ai.onnx 9, 22): Y = arsinh(X).
absl::Status Asinh(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Asinh(x); });
}

}  // namespace

void RegisterAsinh(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Asinh", AllVersions(9, 22), Asinh);
}

}  // namespace onnxcmp

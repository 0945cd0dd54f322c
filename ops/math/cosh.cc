#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Cosh (ai.onnx 9, 22): Y = cosh(X).
absl::Status Cosh(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Cosh(x); });
}

}  // namespace

void RegisterCosh(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Cosh", AllVersions(9, 22), Cosh);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Mish (ai.onnx 18, 22): Y = X * tanh(ln(exp(X) + 1)).
absl::Status Mish(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    return x * vec::Tanh(vec::Max(x, T{0}) + vec::Log1p(vec::Exp(-x.abs())));
  });
}

}  // namespace

void RegisterMish(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Mish", AllVersions(18, 22), Mish);
}

}  // namespace onnxcmp

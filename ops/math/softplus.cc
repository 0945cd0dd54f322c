#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Softplus (ai.onnx 1, 22): Y = ln(exp(X) + 1), which is X where exp(X) overflows.
absl::Status Softplus(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    return vec::Max(x, T{0}) + vec::Log1p(vec::Exp(-x.abs()));
  });
}

}  // namespace

void RegisterSoftplus(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Softplus", AllVersions(1, 22), Softplus);
}

}  // namespace onnxcmp

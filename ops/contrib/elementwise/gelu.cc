#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Gelu (com.microsoft 1): Y = 0.5 * X * (1 + erf(X / sqrt(2))). NaN for -infinity, as onnxruntime.
absl::Status Gelu(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Gelu(x); });
}

}  // namespace

void RegisterContribGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Gelu", {1}, Gelu);
}

}  // namespace onnxcmp

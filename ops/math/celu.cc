#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Celu (ai.onnx 12, 28): Y = max(0, X) + min(0, alpha * (exp(X / alpha) - 1)).
Kernel Celu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return vec::Max(x, T{0}) + vec::Min(vec::Expm1(x / T{alpha}) * T{alpha}, T{0});
  });
}

}  // namespace

void RegisterCelu(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Celu", AllVersions(12, 28), Celu);
}

}  // namespace onnxcmp

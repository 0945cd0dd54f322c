#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// ParametricSoftplus (ai.onnx 1, experimental, removed in 10): Y = alpha * ln(exp(beta * X) + 1),
// where exp overflows too. Neither attribute has a default; as onnxruntime, both are needed.
Kernel ParametricSoftplus(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  const float beta = node.Float("beta");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    const vec::Strip<T> z = x * T{beta};
    return vec::Strip<T>((vec::Max(z, T{0}) + vec::Log1p(vec::Exp(-z.abs()))) * T{alpha});
  });
}

}  // namespace

void RegisterLegacyParametricSoftplus(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ParametricSoftplus", {1}, ParametricSoftplus);
}

}  // namespace onnxcmp

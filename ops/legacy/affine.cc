#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Affine (ai.onnx 1, experimental, removed in 10): Y = alpha * X + beta.
Kernel Affine(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  const float beta = node.Float("beta");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return x * T{alpha} + T{beta};
  });
}

}  // namespace

void RegisterLegacyAffine(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Affine", {1}, Affine);
}

}  // namespace onnxcmp

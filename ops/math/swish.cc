#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Swish (ai.onnx 24): Y = X * sigmoid(alpha * X).
Kernel Swish(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return x * vec::Sigmoid(x * T{alpha});
  });
}

}  // namespace

void RegisterSwish(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Swish", AllVersions(24, 24), Swish);
}

}  // namespace onnxcmp

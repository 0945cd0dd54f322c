#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/functions/if_negative.h"

namespace onnxcmp {
namespace {

// Elu (ai.onnx 1, 6, 22): Y = X for X >= 0, else alpha * (exp(X) - 1).
Kernel Elu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return IfNegative(x, vec::Expm1(x) * T{alpha});
  });
}

}  // namespace

void RegisterElu(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Elu", AllVersions(1, 22), Elu);
}

}  // namespace onnxcmp

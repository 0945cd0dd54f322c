#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/functions/if_negative.h"

namespace onnxcmp {
namespace {

// Selu (ai.onnx 1, 6, 22): Y = gamma * X for X > 0, else gamma * (alpha * exp(X) - alpha). The
// defaults of 1 have fewer digits.
Kernel Selu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  const float gamma = node.Float("gamma");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return IfNegative(x, vec::Expm1(x) * T{alpha}) * T{gamma};
  });
}

}  // namespace

void RegisterSelu(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Selu", AllVersions(1, 22), Selu);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/functions/if_negative.h"

namespace onnxcmp {
namespace {

// LeakyRelu (ai.onnx 1, 6, 16): Y = X for X >= 0, else alpha * X.
Kernel LeakyRelu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return IfNegative(x, x * T{alpha});
  });
}

}  // namespace

void RegisterLeakyRelu(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LeakyRelu", AllVersions(1, 16), LeakyRelu);
}

}  // namespace onnxcmp

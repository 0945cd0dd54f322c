#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// HardSigmoid (ai.onnx 1, 6, 22): Y = max(0, min(1, alpha * X + beta)). NaN stays NaN.
// Differs from the function body: narrow floats are rounded once, not after every step.
Kernel HardSigmoid(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  const float beta = node.Float("beta");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return vec::Max(vec::Min(x * T{alpha} + T{beta}, T{1}), T{0});
  });
}

}  // namespace

void RegisterHardSigmoid(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "HardSigmoid", {1, 6, 22}, HardSigmoid);
}

}  // namespace onnxcmp

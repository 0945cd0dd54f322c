#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// ThresholdedRelu (ai.onnx 1, which was experimental, 10, 22): Y = X for X > alpha, else 0, also
// for NaN.
Kernel ThresholdedRelu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return x.unaryExpr([=](T v) { return v > T{alpha} ? v : T{0}; });
  });
}

}  // namespace

void RegisterThresholdedRelu(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ThresholdedRelu", {1, 10, 22}, ThresholdedRelu);
}

}  // namespace onnxcmp

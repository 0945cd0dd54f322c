#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// ScaledTanh (ai.onnx 1, experimental, removed in 10): output = alpha * tanh(beta * input). Neither
// attribute has a default; as onnxruntime, both are needed.
Kernel ScaledTanh(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  const float beta = node.Float("beta");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return vec::Tanh(x * T{beta}) * T{alpha};
  });
}

}  // namespace

void RegisterLegacyScaledTanh(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ScaledTanh", {1}, ScaledTanh);
}

}  // namespace onnxcmp

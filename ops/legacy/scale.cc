#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Scale (ai.onnx 1, experimental, removed in 10): output = scale * input.
Kernel Scale(const KernelInit& node) {
  const float scale = node.Float("scale");
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return x * T{scale};
  });
}

}  // namespace

void RegisterLegacyScale(OpRegistry& registry) { registry.Add(kOnnxDomain, "Scale", {1}, Scale); }

}  // namespace onnxcmp

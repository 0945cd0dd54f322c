#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Relu (ai.onnx 1, 6, 13, 14): Y = max(0, X). NaN stays NaN.
absl::Status Relu(KernelContext& ctx) {
  return EmitUnary<SignedNumbers>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    return vec::Max(x, T{0});
  });
}

}  // namespace

void RegisterRelu(OpRegistry& registry) { registry.Add(kOnnxDomain, "Relu", {1, 6, 13, 14}, Relu); }

}  // namespace onnxcmp

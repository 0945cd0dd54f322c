#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/gemm_family.h"

namespace onnxcmp {
namespace {

// Gemm (ai.onnx 1, 6, 7, 9, 11, 13): Y = alpha * A' * B' + beta * C, where X' is X or its
// transpose. C is broadcast to Y (before 7 only with the attribute broadcast) and optional (since
// 11). Integers wrap around; with another alpha or beta than 1 they are computed in double and cut
// off.
Kernel Gemm(const KernelInit& node) {
  return [attributes = GemmAttributes(node)](KernelContext& ctx) {
    return RunGemm(ctx, attributes, Activation());
  };
}

}  // namespace

void RegisterGemm(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Gemm", {1, 6, 7, 9, 11, 13}, Gemm);
}

}  // namespace onnxcmp

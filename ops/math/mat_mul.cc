#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/matmul.h"

namespace onnxcmp {
namespace {

// MatMul (ai.onnx 1, 9, 13): Y = numpy.matmul(A, B). Integers wrap around.
absl::Status MatMul(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, ctx.Input(0), ctx.Input(1)));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterMatMul(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MatMul", {1, 9, 13}, MatMul);
}

}  // namespace onnxcmp

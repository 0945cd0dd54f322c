#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Sigmoid (ai.onnx 1, 6, 13): Y = 1 / (1 + exp(-X)).
absl::Status Sigmoid(KernelContext& ctx) { return EmitFunction(ctx, {vec::Sigmoid, vec::Sigmoid}); }

}  // namespace

void RegisterSigmoid(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Sigmoid", {1, 6, 13}, Sigmoid);
}

}  // namespace onnxcmp

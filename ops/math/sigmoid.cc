#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// Sigmoid (ai.onnx 1, 6, 13): Y = 1 / (1 + exp(-X)).
absl::Status Sigmoid(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Sigmoid(x); });
}

}  // namespace

void RegisterSigmoid(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Sigmoid", {1, 6, 13}, Sigmoid);
}

}  // namespace onnxcmp

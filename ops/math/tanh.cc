#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// Tanh (ai.onnx 1, 6, 13): Y = tanh(X).
absl::Status Tanh(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Tanh(x); });
}

}  // namespace

void RegisterTanh(OpRegistry& registry) { registry.Add(kOnnxDomain, "Tanh", {1, 6, 13}, Tanh); }

}  // namespace onnxcmp

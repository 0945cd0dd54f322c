#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Reciprocal (ai.onnx 1, 6, 13): Y = 1 / X.
absl::Status Reciprocal(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return x.inverse(); });
}

}  // namespace

void RegisterReciprocal(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Reciprocal", {1, 6, 13}, Reciprocal);
}

}  // namespace onnxcmp

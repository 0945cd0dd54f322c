#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// Sin (ai.onnx 7, 22): Y = sin(X), of radians.
absl::Status Sin(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Sin(x); });
}

}  // namespace

void RegisterSin(OpRegistry& registry) { registry.Add(kOnnxDomain, "Sin", {7, 22}, Sin); }

}  // namespace onnxcmp

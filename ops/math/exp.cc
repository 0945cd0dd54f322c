#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// Exp (ai.onnx 1, 6, 13): Y = e ^ X.
absl::Status Exp(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Exp(x); });
}

}  // namespace

void RegisterExp(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Exp", AllVersions(1, 13), Exp);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Sinh (ai.onnx 9, 22): Y = sinh(X).
absl::Status Sinh(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Sinh(x); });
}

}  // namespace

void RegisterSinh(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Sinh", AllVersions(9, 22), Sinh);
}

}  // namespace onnxcmp

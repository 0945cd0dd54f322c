#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Atan (ai.onnx 7, 22): Y = arctan(X).
absl::Status Atan(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Atan(x); });
}

}  // namespace

void RegisterAtan(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Atan", AllVersions(7, 22), Atan);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Acosh (ai.onnx 9, 22): Y = arcosh(X); NaN for X < 1.
absl::Status Acosh(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Acosh(x); });
}

}  // namespace

void RegisterAcosh(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Acosh", AllVersions(9, 22), Acosh);
}

}  // namespace onnxcmp

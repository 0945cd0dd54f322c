#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Acos (ai.onnx 7, 22): Y = arccos(X); NaN outside of [-1, 1].
absl::Status Acos(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Acos(x); });
}

}  // namespace

void RegisterAcos(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Acos", AllVersions(7, 22), Acos);
}

}  // namespace onnxcmp

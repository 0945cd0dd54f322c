#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Atanh (ai.onnx 9, 22): Y = artanh(X); NaN outside of [-1, 1].
absl::Status Atanh(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Atanh(x); });
}

}  // namespace

void RegisterAtanh(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Atanh", AllVersions(9, 22), Atanh);
}

}  // namespace onnxcmp

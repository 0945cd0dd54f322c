#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Asin (ai.onnx 7, 22): Y = arcsin(X); NaN outside of [-1, 1].
absl::Status Asin(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Asin(x); });
}

}  // namespace

void RegisterAsin(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Asin", AllVersions(7, 22), Asin);
}

}  // namespace onnxcmp

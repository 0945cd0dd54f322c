#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Ceil (ai.onnx 1, 6, 13): Y = the least integer >= X.
absl::Status Ceil(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return x.ceil(); });
}

}  // namespace

void RegisterCeil(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Ceil", AllVersions(1, 13), Ceil);
}

}  // namespace onnxcmp

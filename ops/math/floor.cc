#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Floor (ai.onnx 1, 6, 13): Y = the greatest integer <= X.
absl::Status Floor(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return x.floor(); });
}

}  // namespace

void RegisterFloor(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Floor", AllVersions(1, 13), Floor);
}

}  // namespace onnxcmp

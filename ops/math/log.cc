#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// Log (ai.onnx 1, 6, 13): Y = the natural logarithm of X; -infinity for 0, NaN for negative X.
absl::Status Log(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return vec::Log(x); });
}

}  // namespace

void RegisterLog(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Log", AllVersions(1, 13), Log);
}

}  // namespace onnxcmp

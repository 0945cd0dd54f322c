#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Log (ai.onnx 1, 6, 13): Y = the natural logarithm of X; -infinity for 0, NaN for negative X.
absl::Status Log(KernelContext& ctx) { return EmitFunction(ctx, {vec::Log, vec::Log}); }

}  // namespace

void RegisterLog(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Log", AllVersions(1, 13), Log);
}

}  // namespace onnxcmp

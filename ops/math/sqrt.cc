#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Sqrt (ai.onnx 1, 6, 13): Y = X ^ 0.5; NaN for negative X.
absl::Status Sqrt(KernelContext& ctx) { return EmitFunction(ctx, {vec::Sqrt, vec::Sqrt}); }

}  // namespace

void RegisterSqrt(OpRegistry& registry) { registry.Add(kOnnxDomain, "Sqrt", {1, 6, 13}, Sqrt); }

}  // namespace onnxcmp

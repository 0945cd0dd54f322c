#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Cos (ai.onnx 7, 22): Y = cos(X), of radians.
absl::Status Cos(KernelContext& ctx) { return EmitFunction(ctx, {vec::Cos, vec::Cos}); }

}  // namespace

void RegisterCos(OpRegistry& registry) { registry.Add(kOnnxDomain, "Cos", {7, 22}, Cos); }

}  // namespace onnxcmp

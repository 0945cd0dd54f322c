#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Sin (ai.onnx 7, 22): Y = sin(X), of radians.
absl::Status Sin(KernelContext& ctx) { return EmitFunction(ctx, {vec::Sin, vec::Sin}); }

}  // namespace

void RegisterSin(OpRegistry& registry) { registry.Add(kOnnxDomain, "Sin", {7, 22}, Sin); }

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Tanh (ai.onnx 1, 6, 13): Y = tanh(X).
absl::Status Tanh(KernelContext& ctx) { return EmitFunction(ctx, {vec::Tanh, vec::Tanh}); }

}  // namespace

void RegisterTanh(OpRegistry& registry) { registry.Add(kOnnxDomain, "Tanh", {1, 6, 13}, Tanh); }

}  // namespace onnxcmp

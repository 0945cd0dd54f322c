#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Exp (ai.onnx 1, 6, 13): Y = e ^ X.
absl::Status Exp(KernelContext& ctx) { return EmitFunction(ctx, {vec::Exp, vec::Exp}); }

}  // namespace

void RegisterExp(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Exp", AllVersions(1, 13), Exp);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Not (ai.onnx 1): Y = not X.
absl::Status Not(KernelContext& ctx) {
  return EmitUnary<Bools>(ctx, [](auto x) { return !x; });
}

}  // namespace

void RegisterNot(OpRegistry& registry) { registry.Add(kOnnxDomain, "Not", {1}, Not); }

}  // namespace onnxcmp

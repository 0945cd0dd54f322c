#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"

namespace onnxcmp {
namespace {

// Identity (ai.onnx 1, 13, 14, 16, 19, 21, 23, 24, 25): output = input, of any kind.
absl::Status Identity(KernelContext& ctx) { return ctx.SetOutput(0, ctx.InputValue(0)); }

}  // namespace

void RegisterIdentity(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, Identity);
}

}  // namespace onnxcmp

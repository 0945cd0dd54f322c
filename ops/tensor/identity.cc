#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// Identity (ai.onnx 1, 13, 14, 16, 19, 21, 23, 24, 25): output = input, of any kind.
// Also SampleOp, an example (com.microsoft 1), and MemcpyFromHost and MemcpyToHost, which
// onnxruntime puts between its devices and writes into models that it saves (ai.onnx 1 there).
absl::Status Identity(KernelContext& ctx) { return ctx.SetOutput(0, ctx.InputValue(0)); }

}  // namespace

void RegisterIdentity(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, Identity);
  registry.Add(kOnnxDomain, "MemcpyFromHost", {1}, Identity);
  registry.Add(kOnnxDomain, "MemcpyToHost", {1}, Identity);
  registry.Add(kMicrosoftDomain, "SampleOp", {1}, Identity);
}

}  // namespace onnxcmp

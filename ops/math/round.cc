#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Round (ai.onnx 11, 22): Y = the nearest integer to X, halves to the even one.
absl::Status Round(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return x.rint(); });
}

}  // namespace

void RegisterRound(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Round", AllVersions(11, 22), Round);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// IsNaN (ai.onnx 9, 13, 20): whether each element is NaN.
absl::Status IsNaN(KernelContext& ctx) {
  return EmitPredicate<Floats>(ctx, [](auto x) { return x != x; });
}

}  // namespace

void RegisterIsNan(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "IsNaN", AllVersions(9, 20), IsNaN);
}

}  // namespace onnxcmp

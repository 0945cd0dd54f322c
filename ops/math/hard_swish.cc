#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// HardSwish (ai.onnx 14, 22): Y = X * max(0, min(1, X / 6 + 0.5)). NaN stays NaN, as does
// -infinity. Differs from the function body: narrow floats are rounded once, not after every step.
absl::Status HardSwish(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    constexpr T kSixth = T{1} / T{6};
    return x * vec::Max(vec::Min(x * kSixth + T{0.5}, T{1}), T{0});
  });
}

}  // namespace

void RegisterHardSwish(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "HardSwish", {14, 22}, HardSwish);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Softsign (ai.onnx 1, 22): Y = X / (1 + |X|); NaN for infinities.
absl::Status Softsign(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    return x / (x.abs() + T{1});
  });
}

}  // namespace

void RegisterSoftsign(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Softsign", AllVersions(1, 22), Softsign);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// QuickGelu (com.microsoft 1): Y = X * Sigmoid(alpha * X). NaN for -infinity, as onnxruntime.
Kernel QuickGelu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return [=](KernelContext& ctx) {
    return EmitUnary<Floats>(ctx, [=](auto x) {
      using T = typename decltype(x)::Scalar;
      return x * vec::Sigmoid(x * T{alpha});
    });
  };
}

}  // namespace

void RegisterContribQuickGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QuickGelu", {1}, QuickGelu);
}

}  // namespace onnxcmp

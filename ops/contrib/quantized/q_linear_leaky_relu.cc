#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearLeakyRelu (com.microsoft 1): Y = X for X >= 0, else alpha * X, of the real values, in
// float.
Kernel QLinearLeakyRelu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return [=](KernelContext& ctx) {
    return EmitQuantizedUnary(ctx, [=](auto x) { return (x < 0.0f).select(x * alpha, x); });
  };
}

}  // namespace

void RegisterContribQLinearLeakyRelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearLeakyRelu", {1}, QLinearLeakyRelu);
}

}  // namespace onnxcmp

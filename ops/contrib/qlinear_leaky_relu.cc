#include "evaluator/op_registry.h"
#include "ops/common/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearLeakyRelu (com.microsoft 1): Y = X for X >= 0, else alpha * X, of the real values, all in
// float as in onnxruntime: with its usual scales many results are ties.
Kernel QlinearLeakyRelu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return [=](KernelContext& ctx) {
    return EmitQuantizedUnary<float>(ctx, [=](auto x) { return (x < 0.0f).select(x * alpha, x); });
  };
}

}  // namespace

void RegisterContribQlinearLeakyRelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearLeakyRelu", {1}, QlinearLeakyRelu);
}

}  // namespace onnxcmp

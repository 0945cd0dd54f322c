#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearSigmoid (com.microsoft 1): Y = 1 / (1 + exp(-X)) of the real values, in float.
absl::Status QLinearSigmoid(KernelContext& ctx) {
  return EmitQuantizedUnary(ctx, [](auto x) { return vec::Sigmoid(x); });
}

}  // namespace

void RegisterContribQLinearSigmoid(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearSigmoid", {1}, QLinearSigmoid);
}

}  // namespace onnxcmp

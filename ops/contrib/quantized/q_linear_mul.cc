#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearMul (com.microsoft 1): C = A * B of the real values, with NumPy broadcasting.
absl::Status QLinearMul(KernelContext& ctx) {
  return EmitQuantizedBinary(ctx, [](auto a, auto b) { return a * b; });
}

}  // namespace

void RegisterContribQLinearMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearMul", {1}, QLinearMul);
}

}  // namespace onnxcmp

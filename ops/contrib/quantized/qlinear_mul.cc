#include "evaluator/op_registry.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearMul (com.microsoft 1): C = A * B of the real values, with NumPy broadcasting.
absl::Status QlinearMul(KernelContext& ctx) {
  return EmitQuantizedBinary(ctx, [](auto a, auto b) { return a * b; });
}

}  // namespace

void RegisterContribQlinearMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearMul", {1}, QlinearMul);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearAdd (com.microsoft 1): C = A + B of the real values, with NumPy broadcasting.
absl::Status QLinearAdd(KernelContext& ctx) {
  return EmitQuantizedBinary(ctx, [](auto a, auto b) { return a + b; });
}

}  // namespace

void RegisterContribQLinearAdd(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearAdd", {1}, QLinearAdd);
}

}  // namespace onnxcmp

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/elementwise/emit_function.h"
#include "ops/common/functions/gelu_tanh.h"
#include "ops/contrib/elementwise/bias.h"

namespace onnxcmp {
namespace {

// FastGelu (com.microsoft 1): Y = 0.5 * Z * (1 + tanh(sqrt(2 / pi) * (Z + 0.044715 * Z^3))), where
// Z = X + bias, or X without a bias. NaN for -infinity, as onnxruntime.
absl::Status FastGelu(KernelContext& ctx) {
  if (ctx.Input(0).rank() < 1) {
    return absl::InvalidArgumentError("X must have a rank of at least 1, not 0");
  }
  if (!ctx.HasInput(1)) {
    return EmitFunction(ctx, {GeluTanh, GeluTanh});
  }
  OC_RETURN_IF_ERROR(CheckBias(ctx.Input(0), ctx.Input(1)));
  return EmitBinary<Floats>(ctx, [](auto x, auto bias) { return GeluTanh(x + bias); });
}

}  // namespace

void RegisterContribFastGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FastGelu", {1}, FastGelu);
}

}  // namespace onnxcmp

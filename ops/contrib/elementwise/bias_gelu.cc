#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/contrib/elementwise/bias.h"

namespace onnxcmp {
namespace {

// BiasGelu (com.microsoft 1): C = Gelu(A + B), B being a vector of the size of A's last dimension.
absl::Status BiasGelu(KernelContext& ctx) {
  OC_RETURN_IF_ERROR(CheckBias(ctx.Input(0), ctx.Input(1)));
  return EmitBinary<Floats>(ctx, [](auto x, auto bias) { return vec::Gelu(x + bias); });
}

}  // namespace

void RegisterContribBiasGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BiasGelu", {1}, BiasGelu);
}

}  // namespace onnxcmp

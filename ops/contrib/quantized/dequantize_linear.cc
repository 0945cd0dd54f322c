#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

// DequantizeLinear (com.microsoft 1): y = (x - x_zero_point) * x_scale, per tensor or along `axis`
// (1 where it is left out); y has the type of x_scale.
Kernel DequantizeLinear(const KernelInit& node) {
  const QuantizationAxis granularity = {.axis = node.Int("axis", 1)};
  return [granularity](KernelContext& ctx) -> absl::Status {
    const Tensor& scale = ctx.Input(1);
    OC_ASSIGN_OR_RETURN(Tensor y, DequantizeTensor(ctx, ctx.Input(0), scale,
                                                   ctx.HasInput(2) ? &ctx.Input(2) : nullptr,
                                                   granularity, scale.dtype()));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribDequantizeLinear(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DequantizeLinear", {1}, DequantizeLinear);
}

}  // namespace onnxcmp

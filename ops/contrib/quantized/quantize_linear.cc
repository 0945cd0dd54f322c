#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

// QuantizeLinear (com.microsoft 1): y = saturate(round(x / y_scale) + y_zero_point), per tensor or
// along `axis` (1 where it is left out). The type of y is that of y_zero_point, else uint8. Other
// than ai.onnx's, the quotient of float16 is not rounded to float16.
Kernel QuantizeLinear(const KernelInit& node) {
  QuantizeOptions options;
  options.granularity.axis = node.Int("axis", 1);
  options.precision = DType::kFloat;
  return [options](KernelContext& ctx) -> absl::Status {
    const Tensor* zero_point = ctx.HasInput(2) ? &ctx.Input(2) : nullptr;
    QuantizeOptions own = options;
    if (zero_point != nullptr) own.output = zero_point->dtype();
    OC_ASSIGN_OR_RETURN(Tensor y, QuantizeTensor(ctx, ctx.Input(0), ctx.Input(1), zero_point, own));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribQuantizeLinear(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QuantizeLinear", {1}, QuantizeLinear);
}

}  // namespace onnxcmp

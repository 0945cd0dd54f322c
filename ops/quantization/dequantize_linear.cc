#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

// DequantizeLinear (ai.onnx 10, 13, 19, 21, 23, 24, 25, 28): y = (x - x_zero_point) * x_scale, per
// tensor, along an axis (since 13) or in blocks (since 21). The type of y is output_dtype (since
// 23), else that of x_scale.
absl::StatusOr<Kernel> DequantizeLinear(const KernelInit& node) {
  const QuantizationAxis granularity = {node.Int("axis", 1), node.Int("block_size", 0)};
  OC_ASSIGN_OR_RETURN(const DType output, DTypeFromNumber(node.Int("output_dtype", 0)));
  return [granularity, output](KernelContext& ctx) -> absl::Status {
    const Tensor& scale = ctx.Input(1);
    OC_ASSIGN_OR_RETURN(
        Tensor y,
        DequantizeTensor(ctx, ctx.Input(0), scale, ctx.HasInput(2) ? &ctx.Input(2) : nullptr,
                         granularity, output == DType::kUndefined ? scale.dtype() : output));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterDequantizeLinear(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "DequantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, DequantizeLinear);
}

}  // namespace onnxcmp

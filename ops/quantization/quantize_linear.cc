#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

// QuantizeLinear (ai.onnx 10, 13, 19, 21, 23, 24, 25, 28):
//   y = saturate(round(x / y_scale) + y_zero_point)
// per tensor, along an axis (since 13) or in blocks (since 21). The type of y is that of
// y_zero_point, else output_dtype (since 21), else uint8. x / y_scale is rounded to the type of
// y_scale, or to `precision` (since 23), before it is rounded to a whole number; for floats of 8,
// 6 and 4 bits there is no rounding to a whole number.
absl::StatusOr<Kernel> QuantizeLinear(const KernelInit& node) {
  QuantizeOptions options;
  options.granularity = {node.Int("axis", 1), node.Int("block_size", 0)};
  options.saturate = node.Int("saturate", 1) != 0;
  OC_ASSIGN_OR_RETURN(const DType output, DTypeFromNumber(node.Int("output_dtype", 0)));
  OC_ASSIGN_OR_RETURN(options.precision, DTypeFromNumber(node.Int("precision", 0)));
  if (options.precision != DType::kUndefined && !IsFloatingPoint(options.precision)) {
    return absl::InvalidArgumentError(absl::StrCat("precision must be a floating-point type, not ",
                                                   DTypeName(options.precision)));
  }
  return [options, output](KernelContext& ctx) -> absl::Status {
    const Tensor* zero_point = ctx.HasInput(2) ? &ctx.Input(2) : nullptr;
    QuantizeOptions own = options;
    own.output = zero_point != nullptr         ? zero_point->dtype()
                 : output != DType::kUndefined ? output
                                               : DType::kUint8;
    if (output != DType::kUndefined && output != own.output) {
      return absl::InvalidArgumentError(absl::StrCat("output_dtype is ", DTypeName(output),
                                                     ", but y_zero_point is ",
                                                     zero_point->TypeString()));
    }
    OC_ASSIGN_OR_RETURN(Tensor y, QuantizeTensor(ctx, ctx.Input(0), ctx.Input(1), zero_point, own));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterQuantizeLinear(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "QuantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, QuantizeLinear);
}

}  // namespace onnxcmp

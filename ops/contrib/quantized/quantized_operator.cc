#include "ops/contrib/quantized/quantized_operator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

// A scale and a zero point as tensors.
struct Parameters {
  Tensor scale;
  Tensor zero_point;
};

absl::StatusOr<Parameters> LoadParameters(const KernelContext& ctx, const ScaleInputs& inputs,
                                          DType dtype, DType real) {
  OC_ASSIGN_OR_RETURN(const double scale, ctx.ScalarInput<double>(inputs.scale));
  double zero_point = 0;
  if (ctx.HasInput(inputs.zero_point)) {
    const Tensor& given = ctx.Input(inputs.zero_point);
    if (given.dtype() != dtype) {
      return absl::InvalidArgumentError(absl::StrCat("the zero point, input ", inputs.zero_point,
                                                     ", is ", given.TypeString(), ", not ",
                                                     DTypeName(dtype)));
    }
    OC_ASSIGN_OR_RETURN(zero_point, ctx.ScalarInput<double>(inputs.zero_point));
  }
  return Parameters{real == DType::kDouble ? Tensor::Scalar<double>(scale)
                                           : Tensor::Scalar<float>(static_cast<float>(scale)),
                    Tensor::Scalar<double>(zero_point)};
}

}  // namespace

absl::StatusOr<Tensor> RealInput(const KernelContext& ctx, const QuantizedInput& input,
                                 DType dtype) {
  const Tensor& values = ctx.Input(input.values);
  OC_ASSIGN_OR_RETURN(const Parameters parameters,
                      LoadParameters(ctx, {input.scale, input.zero_point}, values.dtype(), dtype));
  return DequantizeTensor(ctx, values, parameters.scale, &parameters.zero_point, {}, dtype);
}

absl::StatusOr<Tensor> QuantizedResult(const KernelContext& ctx, const Tensor& real,
                                       const ScaleInputs& inputs, DType dtype) {
  OC_ASSIGN_OR_RETURN(const Parameters parameters,
                      LoadParameters(ctx, inputs, dtype, real.dtype()));
  QuantizeOptions options;
  options.output = dtype;
  return QuantizeTensor(ctx, real, parameters.scale, &parameters.zero_point, options);
}

absl::Status EmitQuantized(KernelContext& ctx, const Tensor& real, const ScaleInputs& inputs,
                           DType dtype) {
  OC_ASSIGN_OR_RETURN(Tensor y, QuantizedResult(ctx, real, inputs, dtype));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace onnxcmp

// Operators between tensors of 8-bit integers that have one scale and zero point each. They compute
// with the real values, in double, so that only the last rounding is one; those whose results are
// often halfway between two integers in float, where onnxruntime has them.
//
//   absl::Status QLinearAdd(KernelContext& ctx) {
//     OC_ASSIGN_OR_RETURN(const Tensor a, RealInput(ctx, {0, 1, 2}));
//     OC_ASSIGN_OR_RETURN(const Tensor b, RealInput(ctx, {3, 4, 5}));
//     OC_ASSIGN_OR_RETURN(const Tensor c, ...);  // a + b
//     return EmitQuantized(ctx, c, {6, 7}, ctx.Input(0).dtype());
//   }
#ifndef ONNXCMP_OPS_CONTRIB_QUANTIZED_QUANTIZED_OPERATOR_H_
#define ONNXCMP_OPS_CONTRIB_QUANTIZED_QUANTIZED_OPERATOR_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {

// Numbers of inputs. A zero point that is left out is 0.
struct ScaleInputs {
  int scale;
  int zero_point;
};
struct QuantizedInput {
  int values;
  int scale;
  int zero_point;
};

// (values - zero point) * scale as a contiguous tensor of double or float.
absl::StatusOr<Tensor> RealInput(const KernelContext& ctx, const QuantizedInput& input,
                                 DType dtype = DType::kDouble);

// saturate(round(real / scale) + zero point), ties to even, divided in real's type, double or
// float; `dtype`: an integer type.
absl::StatusOr<Tensor> QuantizedResult(const KernelContext& ctx, const Tensor& real,
                                       const ScaleInputs& inputs, DType dtype);

// QuantizedResult as output 0.
absl::Status EmitQuantized(KernelContext& ctx, const Tensor& real, const ScaleInputs& inputs,
                           DType dtype);

// Output 0 = f(input 0) in float, quantized: inputs are X, X_scale, X_zero_point, Y_scale,
// Y_zero_point.
template <typename F>
absl::Status EmitQuantizedUnary(KernelContext& ctx, const F& f) {
  OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {0, 1, 2}, DType::kFloat));
  OC_ASSIGN_OR_RETURN(const Tensor y, (ElementwiseIn<float, 1>(ctx, {&x}, DType::kFloat, f)));
  return EmitQuantized(ctx, y, {3, 4}, ctx.Input(0).dtype());
}

// Output 0 = f(A, B), broadcast and quantized: inputs are A, A_scale, A_zero_point, B, B_scale,
// B_zero_point, C_scale, C_zero_point.
template <typename F>
absl::Status EmitQuantizedBinary(KernelContext& ctx, const F& f) {
  OC_ASSIGN_OR_RETURN(const Tensor a, RealInput(ctx, {0, 1, 2}));
  OC_ASSIGN_OR_RETURN(const Tensor b, RealInput(ctx, {3, 4, 5}));
  OC_ASSIGN_OR_RETURN(const Tensor c, (ElementwiseIn<double, 2>(ctx, {&a, &b}, DType::kDouble, f)));
  return EmitQuantized(ctx, c, {6, 7}, ctx.Input(0).dtype());
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_QUANTIZED_QUANTIZED_OPERATOR_H_

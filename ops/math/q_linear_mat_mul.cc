#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/integer_product.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

enum Inputs { kA, kAScale, kAZero, kB, kBScale, kBZero, kYScale, kYZero };

bool IsByte(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUint8; }

// 8-bit integers: the sums are exact, and scaled in double.
absl::Status MultiplyBytes(KernelContext& ctx, double y_scale) {
  const DType dtype = ctx.Input(kYZero).dtype();
  OC_ASSIGN_OR_RETURN(const int64_t y_zero, ctx.ScalarInput<int64_t>(kYZero));
  const Requantization result(dtype, y_zero);
  OC_ASSIGN_OR_RETURN(Tensor y,
                      MultiplyQuantized(ctx, FactorFromInputs(ctx, kA, kAScale, kAZero),
                                        FactorFromInputs(ctx, kB, kBScale, kBZero), dtype,
                                        [&](const ProductRow& row, std::byte* out) {
                                          result.Store(row.sums, row.count, row.row_scale / y_scale,
                                                       row.column_scales, out + row.first);
                                        }));
  return ctx.SetOutput(0, std::move(y));
}

// float8 among the types: the real values are multiplied in float.
absl::Status MultiplyFloats(KernelContext& ctx) {
  const auto real = [&](int x, FactorSide side) -> absl::StatusOr<Tensor> {
    OC_ASSIGN_OR_RETURN(Tensor values, LoadTensor<float>(ctx, ctx.Input(x)));
    const Shape& shape = values.shape();
    OC_ASSIGN_OR_RETURN(const Tensor scales,
                        LineParameters(ctx, ctx.Input(x + 1), shape, side, "a scale"));
    OC_ASSIGN_OR_RETURN(const Tensor zeros,
                        LineParameters(ctx, ctx.Input(x + 2), shape, side, "a zero point"));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kFloat, shape));
    // The elements of a row are neighbours; those of a column are `lines` apart.
    const bool left = side == FactorSide::kLeft;
    const int64_t last = shape.empty() ? 1 : shape.back();
    const int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      const int64_t line = left               ? i / last
                           : shape.size() < 2 ? 0
                                              : i / (rows * last) * last + i % last;
      result.mutable_data<float>()[i] = static_cast<float>(
          (static_cast<double>(values.data<float>()[i]) - zeros.data<double>()[line]) *
          scales.data<double>()[line]);
    }
    return result;
  };
  OC_ASSIGN_OR_RETURN(const Tensor a, real(kA, FactorSide::kLeft));
  OC_ASSIGN_OR_RETURN(const Tensor b, real(kB, FactorSide::kRight));
  OC_ASSIGN_OR_RETURN(const Tensor product, MatMulTensors(ctx, a, b));
  QuantizeOptions options;
  options.output = ctx.Input(kYZero).dtype();
  options.precision = DType::kFloat;
  OC_ASSIGN_OR_RETURN(
      Tensor y, QuantizeTensor(ctx, product, ctx.Input(kYScale), &ctx.Input(kYZero), options));
  return ctx.SetOutput(0, std::move(y));
}

// QLinearMatMul (ai.onnx 10, 21):
//   real = matmul((a - a_zero_point) * a_scale, (b - b_zero_point) * b_scale)
//   y = saturate(round(real / y_scale) + y_zero_point)
// with parameters for all of a or for its rows, for all of b or for its columns, and for all of y.
absl::Status QLinearMatMul(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const double y_scale, ctx.ScalarInput<double>(kYScale));
  return IsByte(ctx.Input(kA).dtype()) && IsByte(ctx.Input(kB).dtype()) &&
                 IsByte(ctx.Input(kYZero).dtype())
             ? MultiplyBytes(ctx, y_scale)
             : MultiplyFloats(ctx);
}

}  // namespace

void RegisterQLinearMatMul(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "QLinearMatMul", {10, 21}, QLinearMatMul);
}

}  // namespace onnxcmp

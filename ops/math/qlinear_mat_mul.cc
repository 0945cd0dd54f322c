#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/integer_product.h"
#include "ops/common/load_store.h"
#include "ops/common/quantization.h"

namespace onnxcmp {
namespace {

enum Inputs { kA, kAScale, kAZero, kB, kBScale, kBZero, kYScale, kYZero };

// The scales of the rows and columns of a product whose block is known.
struct Scales {
  Tensor rows;          // a_scale of every row of every matrix of A
  Tensor columns;       // b_scale of every column of every matrix of B
  int64_t row_size;     // elements of a row of A
  int64_t matrix_size;  // elements of a matrix of B
  int64_t width;        // columns of a matrix of B

  const double* RowsOf(const MatMulLayout& layout, int64_t batch) const {
    const absl::Span<const int64_t> offsets = layout.a.batch_offsets();
    if (offsets.empty() || row_size == 0) return rows.data<double>();
    return rows.data<double>() + offsets[static_cast<size_t>(batch)] / row_size;
  }
  const double* ColumnsOf(const MatMulLayout& layout, int64_t batch) const {
    const absl::Span<const int64_t> offsets = layout.b.batch_offsets();
    if (offsets.empty() || matrix_size == 0) return columns.data<double>();
    return columns.data<double>() + offsets[static_cast<size_t>(batch)] / matrix_size * width;
  }
};

bool IsByte(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUint8; }

// 8-bit integers: the sums are exact, and scaled in double.
absl::Status MultiplyBytes(KernelContext& ctx, double y_scale) {
  const DType dtype = ctx.Input(kYZero).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor a,
                      SubtractZeroPoint(ctx, ctx.Input(kA), &ctx.Input(kAZero), Side::kLeft));
  OC_ASSIGN_OR_RETURN(const Tensor b,
                      SubtractZeroPoint(ctx, ctx.Input(kB), &ctx.Input(kBZero), Side::kRight));
  OC_ASSIGN_OR_RETURN(const MatMulLayout layout,
                      LayOutMatMul(ctx, a.shape(), a.strides(), b.shape(), b.strides()));
  Scales scales;
  OC_ASSIGN_OR_RETURN(scales.rows,
                      LineParameters(ctx, ctx.Input(kAScale), a.shape(), Side::kLeft, "a_scale"));
  OC_ASSIGN_OR_RETURN(scales.columns,
                      LineParameters(ctx, ctx.Input(kBScale), b.shape(), Side::kRight, "b_scale"));
  const GemmShape& shape = layout.shape;
  scales.row_size = shape.k;
  scales.width = shape.n;
  scales.matrix_size = shape.k * shape.n;
  OC_ASSIGN_OR_RETURN(const int64_t y_zero, ctx.ScalarInput<int64_t>(kYZero));
  OC_ASSIGN_OR_RETURN(Tensor sums, ctx.Allocate(DType::kInt32, layout.output));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(dtype, layout.output));
  int32_t* sum = sums.mutable_data<int32_t>();
  auto* out = reinterpret_cast<uint8_t*>(y.mutable_raw_data());
  const auto low = static_cast<int32_t>(IntegerMin(dtype));
  const auto high = static_cast<int32_t>(IntegerMax(dtype));
  OC_RETURN_IF_ERROR(MultiplyIntegers(ctx, layout, a, b, sum, [&](const GemmBlock& block) {
    const double* rows = scales.RowsOf(layout, block.batch);
    const double* columns = scales.ColumnsOf(layout, block.batch);
    for (int64_t i = block.row_begin; i < block.row_end; ++i) {
      const int64_t row = (block.batch * shape.m + i) * shape.n;
      for (int64_t j = block.column_begin; j < block.column_end; ++j) {
        const double real = sum[row + j] * (rows[i] * columns[j]);
        out[row + j] = static_cast<uint8_t>(
            Requantize(real / y_scale, static_cast<int32_t>(y_zero), low, high));
      }
    }
  }));
  return ctx.SetOutput(0, std::move(y));
}

// float8 among the types: the real values are multiplied in float.
absl::Status MultiplyFloats(KernelContext& ctx) {
  const auto real = [&](int x, Side side) -> absl::StatusOr<Tensor> {
    OC_ASSIGN_OR_RETURN(Tensor values, LoadTensor<float>(ctx, ctx.Input(x)));
    const Shape shape = values.shape();
    OC_ASSIGN_OR_RETURN(const Tensor scales,
                        LineParameters(ctx, ctx.Input(x + 1), shape, side, "a scale"));
    OC_ASSIGN_OR_RETURN(const Tensor zeros,
                        LineParameters(ctx, ctx.Input(x + 2), shape, side, "a zero point"));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kFloat, shape));
    // The elements of a row are neighbours; those of a column are `lines` apart.
    const bool left = side == Side::kLeft;
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
  OC_ASSIGN_OR_RETURN(const Tensor a, real(kA, Side::kLeft));
  OC_ASSIGN_OR_RETURN(const Tensor b, real(kB, Side::kRight));
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
absl::Status QlinearMatMul(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const double y_scale, ctx.ScalarInput<double>(kYScale));
  return IsByte(ctx.Input(kA).dtype()) && IsByte(ctx.Input(kB).dtype()) &&
                 IsByte(ctx.Input(kYZero).dtype())
             ? MultiplyBytes(ctx, y_scale)
             : MultiplyFloats(ctx);
}

}  // namespace

void RegisterQlinearMatMul(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "QLinearMatMul", {10, 21}, QlinearMatMul);
}

}  // namespace onnxcmp

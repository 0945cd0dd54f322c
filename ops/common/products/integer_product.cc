#include "ops/common/products/integer_product.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/byte_pairs.h"

namespace onnxcmp {
namespace {

using gemm_internal::Int16Pair;

// A factor's shape as matrices of rows x columns.
struct Matrices {
  int64_t count = 1;
  int64_t rows = 1;
  int64_t columns = 1;
};

Matrices MatricesOf(absl::Span<const int64_t> shape, FactorSide side) {
  Matrices result;
  if (shape.size() == 1) {
    (side == FactorSide::kLeft ? result.columns : result.rows) = shape[0];
    return result;
  }
  if (shape.size() < 2) return result;
  result.rows = shape[shape.size() - 2];
  result.columns = shape[shape.size() - 1];
  for (size_t d = 0; d + 2 < shape.size(); ++d) result.count *= shape[d];
  return result;
}

// The zero points of a factor's rows or columns, of every matrix; one if they are all the same.
absl::StatusOr<std::vector<int16_t>> ZeroPoints(const KernelContext& ctx, const ByteFactor& factor,
                                                FactorSide side) {
  if (factor.zero_point == nullptr) return std::vector<int16_t>{0};
  OC_ASSIGN_OR_RETURN(
      const Tensor parameters,
      LineParameters(ctx, *factor.zero_point, factor.values->shape(), side, "the zero point"));
  const absl::Span<const double> numbers = parameters.AsSpan<double>();
  if (factor.zero_point->num_elements() == 1 && !numbers.empty()) {
    return std::vector<int16_t>{static_cast<int16_t>(numbers[0])};
  }
  return std::vector<int16_t>(numbers.begin(), numbers.end());
}

}  // namespace

absl::StatusOr<Tensor> LineParameters(const KernelContext& ctx, const Tensor& parameters,
                                      absl::Span<const int64_t> shape, FactorSide side,
                                      absl::string_view name) {
  const Matrices matrices = MatricesOf(shape, side);
  const int64_t lines = side == FactorSide::kLeft ? matrices.rows : matrices.columns;
  OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<double>(ctx, parameters));
  const absl::Span<const double> values = loaded.AsSpan<double>();
  Shape full(shape.begin(), shape.end());
  if (full.size() >= 2) full[full.size() - (side == FactorSide::kLeft ? 1 : 2)] = 1;
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kDouble, {matrices.count, lines}));
  double* to = result.mutable_data<double>();
  if (values.size() == 1) {
    std::fill_n(to, result.num_elements(), values[0]);
  } else if (loaded.rank() == 1 && loaded.dim(0) == lines) {
    for (int64_t i = 0; i < matrices.count; ++i) to = std::copy(values.begin(), values.end(), to);
  } else if (shape.size() >= 2 && loaded.shape() == full) {
    std::copy(values.begin(), values.end(), to);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is ", parameters.TypeString(), ", which is neither one number nor one ",
        "for each ", side == FactorSide::kLeft ? "row" : "column", " of [", ShapeToString(shape),
        "]"));
  }
  return result;
}

absl::StatusOr<MatMulLayout> LayOutBytes(const KernelContext& ctx, const Tensor& a,
                                         const Tensor& b) {
  return LayOutMatMul(ctx, a.shape(), RowMajorStrides(a.shape()), b.shape(),
                      RowMajorStrides(b.shape()));
}

absl::Status MultiplyIntegers(const KernelContext& ctx, const MatMulLayout& layout,
                              const ByteFactor& a, const ByteFactor& b, int32_t* y,
                              std::optional<GemmEpilogue> epilogue) {
  OC_ASSIGN_OR_RETURN(const std::vector<int16_t> a_zeros, ZeroPoints(ctx, a, FactorSide::kLeft));
  OC_ASSIGN_OR_RETURN(const std::vector<int16_t> b_zeros, ZeroPoints(ctx, b, FactorSide::kRight));
  OC_ASSIGN_OR_RETURN(const Tensor left, ctx.Contiguous(*a.values));
  OC_ASSIGN_OR_RETURN(const Tensor right, ctx.Contiguous(*b.values));
  const int64_t depth = layout.shape.k;
  const int64_t pairs = PairsOf(depth);
  const int64_t rows = depth == 0 ? 0 : left.num_elements() / depth;
  OC_ASSIGN_OR_RETURN(Tensor rows_of_pairs, ctx.Allocate(DType::kInt16, {rows, 2 * pairs}));
  int16_t* widened = rows_of_pairs.mutable_data<int16_t>();
  WidenRows(ctx.pool(), BytesOf(left), rows, depth, a_zeros, widened);
  std::vector<int64_t> offsets(layout.a.batch_offsets().begin(), layout.a.batch_offsets().end());
  for (int64_t& offset : offsets) offset = depth == 0 ? 0 : offset / depth;
  if (layout.shape.m <= kFewRows && depth > 0) {
    MultiplyFewRows(ctx.pool(), layout.shape, widened, offsets, BytesOf(right),
                    layout.b.batch_offsets(), b_zeros, y, epilogue);
    return absl::OkStatus();
  }
  for (int64_t& offset : offsets) offset *= pairs;
  const GemmShape shape = {layout.shape.m, layout.shape.n, pairs, layout.shape.batch};
  const BytePairPacker packer(BytesOf(right), depth, shape.n, layout.b.batch_offsets(), b_zeros);
  GemmPacked<Int16Pair>(ctx.pool(), shape,
                        {reinterpret_cast<const Int16Pair*>(widened), pairs, 1, 0, offsets}, packer,
                        {y, shape.n, shape.m * shape.n}, epilogue);
  return absl::OkStatus();
}

QuantizedFactor FactorFromInputs(const KernelContext& ctx, int values, int scale, int zero_point) {
  return {&ctx.Input(values), &ctx.Input(scale),
          ctx.HasInput(zero_point) ? &ctx.Input(zero_point) : nullptr};
}

absl::StatusOr<Tensor> MultiplyQuantized(
    const KernelContext& ctx, const QuantizedFactor& a, const QuantizedFactor& b, DType output,
    absl::FunctionRef<void(const ProductRow& row, std::byte* out)> finish) {
  const Shape& left = a.values->shape();
  const Shape& right = b.values->shape();
  OC_ASSIGN_OR_RETURN(const MatMulLayout layout, LayOutBytes(ctx, *a.values, *b.values));
  OC_ASSIGN_OR_RETURN(const Tensor row_scales,
                      LineParameters(ctx, *a.scale, left, FactorSide::kLeft, "a's scale"));
  OC_ASSIGN_OR_RETURN(const Tensor column_scales,
                      LineParameters(ctx, *b.scale, right, FactorSide::kRight, "b's scale"));
  OC_ASSIGN_OR_RETURN(Tensor sums, ctx.Allocate(DType::kInt32, layout.output));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(output, layout.output));
  int32_t* sum = sums.mutable_data<int32_t>();
  std::byte* out = y.mutable_raw_data();
  const GemmShape& shape = layout.shape;
  // The scales of a matrix lie where its rows or columns do.
  const auto matrix_at = [](const MatMulLayout::Factor& factor, int64_t batch, int64_t size) {
    const absl::Span<const int64_t> offsets = factor.batch_offsets();
    return offsets.empty() || size == 0 ? 0 : offsets[static_cast<size_t>(batch)] / size;
  };
  OC_RETURN_IF_ERROR(MultiplyIntegers(
      ctx, layout, {a.values, a.zero_point}, {b.values, b.zero_point}, sum,
      [&](const GemmBlock& block) {
        const double* rows = row_scales.data<double>() + matrix_at(layout.a, block.batch, shape.k);
        const double* columns = column_scales.data<double>() +
                                matrix_at(layout.b, block.batch, shape.k * shape.n) * shape.n +
                                block.column_begin;
        for (int64_t i = block.row_begin; i < block.row_end; ++i) {
          const int64_t first = (block.batch * shape.m + i) * shape.n + block.column_begin;
          finish({first, block.column_begin, block.column_end - block.column_begin, sum + first,
                  rows[i], columns},
                 out);
        }
      }));
  return y;
}

absl::StatusOr<Tensor> RealProduct(const KernelContext& ctx, const QuantizedFactor& a,
                                   const QuantizedFactor& b, const Tensor* bias, DType output) {
  Tensor addends;
  if (bias != nullptr) {
    const int64_t columns = b.values->rank() < 2 ? 1 : b.values->dim(b.values->rank() - 1);
    if (bias->rank() != 1 || bias->dim(0) != columns) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the bias is ", bias->TypeString(), ", but the product has ", columns, " columns"));
    }
    OC_ASSIGN_OR_RETURN(addends, LoadTensor<double>(ctx, *bias));
  }
  return MultiplyQuantized(ctx, a, b, output, [&](const ProductRow& row, std::byte* out) {
    constexpr int64_t kStrip = 256;
    double values[kStrip];
    for (int64_t begin = 0; begin < row.count; begin += kStrip) {
      const int64_t count = std::min(kStrip, row.count - begin);
      for (int64_t j = 0; j < count; ++j) {
        values[j] = row.sums[begin + j] * (row.row_scale * row.column_scales[begin + j]);
      }
      if (addends.defined()) {
        const double* addend = addends.data<double>() + row.column + begin;
        for (int64_t j = 0; j < count; ++j) values[j] += addend[j];
      }
      StoreElements(output, values, count, out, row.first + begin);
    }
  });
}

}  // namespace onnxcmp

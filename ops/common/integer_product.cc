#include "ops/common/integer_product.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/convert.h"
#include "ops/common/load_store.h"

namespace onnxcmp {
namespace {

using gemm_internal::Int16Pair;

// A factor's shape as matrices of rows x columns.
struct Matrices {
  int64_t count = 1;
  int64_t rows = 1;
  int64_t columns = 1;
};

Matrices MatricesOf(absl::Span<const int64_t> shape, Side side) {
  Matrices result;
  if (shape.size() == 1) {
    (side == Side::kLeft ? result.columns : result.rows) = shape[0];
    return result;
  }
  if (shape.size() < 2) return result;
  result.rows = shape[shape.size() - 2];
  result.columns = shape[shape.size() - 1];
  for (size_t d = 0; d + 2 < shape.size(); ++d) result.count *= shape[d];
  return result;
}

// Two rows of B to a row of the panel.
class PairPacker final : public GemmPacker<Int16Pair> {
 public:
  PairPacker(GemmFactor<int16_t> b, int64_t depth) : b_(b), depth_(depth) {}

  void Pack(int64_t batch, int64_t k, int64_t depth, int64_t column, int64_t columns,
            Int16Pair* panel) const override {
    const int16_t* matrix = b_.Batch(batch) + column * b_.column_stride;
    for (int64_t row = 2 * k; row < 2 * (k + depth); row += 2) {
      const int16_t* first = matrix + row * b_.row_stride;
      const bool has_second = row + 1 < depth_;
      const int16_t* second = has_second ? first + b_.row_stride : first;
      for (int64_t j = 0; j < columns; ++j) {
        panel[j] = {first[j * b_.column_stride],
                    has_second ? second[j * b_.column_stride] : int16_t{0}};
      }
      panel += kGemmPanelColumns<Int16Pair>;
    }
  }

 private:
  const GemmFactor<int16_t> b_;
  const int64_t depth_;
};

}  // namespace

absl::StatusOr<Tensor> LineParameters(const KernelContext& ctx, const Tensor& parameters,
                                      absl::Span<const int64_t> shape, Side side,
                                      absl::string_view name) {
  const Matrices matrices = MatricesOf(shape, side);
  const int64_t lines = side == Side::kLeft ? matrices.rows : matrices.columns;
  OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<double>(ctx, parameters));
  const absl::Span<const double> values = loaded.AsSpan<double>();
  Shape full(shape.begin(), shape.end());
  if (full.size() >= 2) full[full.size() - (side == Side::kLeft ? 1 : 2)] = 1;
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kDouble, {matrices.count, lines}));
  double* to = result.mutable_data<double>();
  if (values.size() == 1) {
    std::fill_n(to, result.num_elements(), values[0]);
  } else if (loaded.rank() == 1 && loaded.dim(0) == lines) {
    for (int64_t i = 0; i < matrices.count; ++i) to = std::copy(values.begin(), values.end(), to);
  } else if (loaded.shape() == full) {
    std::copy(values.begin(), values.end(), to);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is ", parameters.TypeString(), ", which is neither one number nor one ",
        "for each ", side == Side::kLeft ? "row" : "column", " of [", ShapeToString(shape), "]"));
  }
  return result;
}

absl::StatusOr<Tensor> SubtractZeroPoint(const KernelContext& ctx, const Tensor& x,
                                         const Tensor* zero_point, Side side) {
  const Tensor none = Tensor::Scalar<int8_t>(0);
  OC_ASSIGN_OR_RETURN(const Tensor parameters,
                      LineParameters(ctx, zero_point == nullptr ? none : *zero_point, x.shape(),
                                     side, "the zero point"));
  OC_ASSIGN_OR_RETURN(const Tensor in, ctx.Contiguous(x));
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(DType::kInt16, x.shape()));
  const Matrices matrices = MatricesOf(x.shape(), side);
  const bool is_signed = x.dtype() == DType::kInt8;
  const uint8_t* from = in.data<uint8_t>();
  int16_t* to = out.mutable_data<int16_t>();
  const absl::Span<const double> numbers = parameters.AsSpan<double>();
  const std::vector<int16_t> zeros(numbers.begin(), numbers.end());
  const auto convert = [is_signed](uint8_t bits) {
    return is_signed ? static_cast<int16_t>(static_cast<int8_t>(bits)) : int16_t{bits};
  };
  const int64_t width = matrices.columns;
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, width));
  ctx.pool().ParallelRanges(matrices.count * matrices.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const uint8_t* source = from + row * width;
      int16_t* target = to + row * width;
      if (side == Side::kLeft) {
        const int16_t zero = zeros[static_cast<size_t>(row)];
        for (int64_t j = 0; j < width; ++j) {
          target[j] = static_cast<int16_t>(convert(source[j]) - zero);
        }
      } else {
        const int16_t* zero = zeros.data() + row / matrices.rows * width;
        for (int64_t j = 0; j < width; ++j) {
          target[j] = static_cast<int16_t>(convert(source[j]) - zero[j]);
        }
      }
    }
  });
  return out;
}

absl::Status MultiplyIntegers(const KernelContext& ctx, const MatMulLayout& layout, const Tensor& a,
                              const Tensor& b, int32_t* y, std::optional<GemmEpilogue> epilogue) {
  // Rows of A as pairs, the last one filled up with 0.
  const int64_t depth = layout.shape.k;
  const int64_t pairs = depth / 2 + depth % 2;
  const int64_t rows = depth == 0 ? 0 : a.num_elements() / depth;
  OC_ASSIGN_OR_RETURN(Tensor rows_of_pairs, ctx.Allocate(DType::kInt16, {rows, 2 * pairs}));
  const int16_t* from = a.data<int16_t>();
  int16_t* to = rows_of_pairs.mutable_data<int16_t>();
  ctx.pool().ParallelRanges(rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, depth)),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t i = begin; i < end; ++i) {
                                std::copy_n(from + i * depth, depth, to + i * 2 * pairs);
                                if (depth % 2 != 0) to[i * 2 * pairs + depth] = 0;
                              }
                            });
  std::vector<int64_t> offsets(layout.a.batch_offsets().begin(), layout.a.batch_offsets().end());
  for (int64_t& offset : offsets) offset = depth == 0 ? 0 : offset / depth * pairs;
  const GemmShape shape = {layout.shape.m, layout.shape.n, pairs, layout.shape.batch};
  const PairPacker packer(
      {b.data<int16_t>(), layout.b.row_stride, layout.b.column_stride, 0, layout.b.batch_offsets()},
      depth);
  GemmPacked<Int16Pair>(ctx.pool(), shape,
                        {reinterpret_cast<const Int16Pair*>(to), pairs, 1, 0, offsets}, packer,
                        {y, shape.n, shape.m * shape.n}, epilogue);
  return absl::OkStatus();
}

}  // namespace onnxcmp

// Products of 8-bit integers: exact, because zero points are subtracted first and what is left is
// multiplied as 16-bit integers into 32-bit sums (which wrap around).
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_INTEGER_PRODUCT_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_INTEGER_PRODUCT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/products/gemm.h"
#include "ops/common/products/matmul.h"

namespace onnxcmp {

// The factor that the numbers belong to: rows of the left one or columns of the right one.
enum class FactorSide : uint8_t { kLeft, kRight };

// Scales or zero points of a factor with `shape` (its last two axes are a matrix, a vector is a row
// on the left and a column on the right): one number for each row (left) or column (right) of each
// matrix, in order. `parameters` holds one for all, one for each row or column, or one for each of
// each matrix (the shape with a 1 in place of the summed axis).
absl::StatusOr<Tensor> LineParameters(const KernelContext& ctx, const Tensor& parameters,
                                      absl::Span<const int64_t> shape, FactorSide side,
                                      absl::string_view name);

// A factor of 8-bit integers with zero points for all of it or for its rows (left) or columns
// (right).
struct ByteFactor {
  const Tensor* values;
  const Tensor* zero_point;  // null: 0
};

// The layout of numpy.matmul(a, b).
absl::StatusOr<MatMulLayout> LayOutBytes(const KernelContext& ctx, const Tensor& a,
                                         const Tensor& b);

// y = (a - zero point) * (b - zero point), `layout` being theirs. The epilogue as in Gemm, its
// blocks count rows and batches as layout.shape does.
absl::Status MultiplyIntegers(const KernelContext& ctx, const MatMulLayout& layout,
                              const ByteFactor& a, const ByteFactor& b, int32_t* y,
                              std::optional<GemmEpilogue> epilogue = std::nullopt);

// A factor of real values (values - zero_point) * scale, with parameters for all of it or for its
// rows (left) or columns (right).
struct QuantizedFactor {
  const Tensor* values;  // int8 or uint8
  const Tensor* scale;
  const Tensor* zero_point;  // may be null
};
// Inputs of the node; a zero point that is left out is 0.
QuantizedFactor FactorFromInputs(const KernelContext& ctx, int values, int scale, int zero_point);

// Neighbouring elements of a product: element i is sums[i] * row_scale * column_scales[i].
struct ProductRow {
  int64_t first;   // where they lie in the product
  int64_t column;  // of the first
  int64_t count;
  const int32_t* sums;
  double row_scale;
  const double* column_scales;
};

// numpy.matmul(a, b) as a tensor of type `output`: `finish` stores the elements of each row from
// row.first on into `out`, the tensor's data. The sums are exact (they wrap).
absl::StatusOr<Tensor> MultiplyQuantized(
    const KernelContext& ctx, const QuantizedFactor& a, const QuantizedFactor& b, DType output,
    absl::FunctionRef<void(const ProductRow& row, std::byte* out)> finish);

// numpy.matmul(a, b) + bias of the real values, computed in double and rounded once. `bias` may be
// null; else it is a vector with an element for each column.
absl::StatusOr<Tensor> RealProduct(const KernelContext& ctx, const QuantizedFactor& a,
                                   const QuantizedFactor& b, const Tensor* bias, DType output);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_INTEGER_PRODUCT_H_

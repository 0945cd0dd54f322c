// Products of 8-bit integers: exact, because zero points are subtracted first and what is left is
// multiplied as 16-bit integers into 32-bit sums (which wrap around).
#ifndef ONNXCMP_OPS_COMMON_INTEGER_PRODUCT_H_
#define ONNXCMP_OPS_COMMON_INTEGER_PRODUCT_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernel.h"
#include "evaluator/tensor.h"
#include "ops/common/gemm.h"
#include "ops/common/matmul.h"

namespace onnxcmp {

// Whether the numbers belong to the rows of a left factor or to the columns of a right one.
enum class Side : uint8_t { kLeft, kRight };

// Scales or zero points of a factor with `shape` (its last two axes are a matrix, a vector is a row
// on the left and a column on the right): one number for each row (left) or column (right) of each
// matrix, in order. `parameters` holds one for all, one for each row or column, or one for each of
// each matrix (the shape with a 1 in place of the summed axis).
absl::StatusOr<Tensor> LineParameters(const KernelContext& ctx, const Tensor& parameters,
                                      absl::Span<const int64_t> shape, Side side,
                                      absl::string_view name);

// int8 or uint8 elements minus the zero points of their rows or columns, as a contiguous int16
// tensor. `zero_point` may be null.
absl::StatusOr<Tensor> SubtractZeroPoint(const KernelContext& ctx, const Tensor& x,
                                         const Tensor* zero_point, Side side);

// y = a * b of int16 tensors that SubtractZeroPoint made; `layout` is theirs. The epilogue as in
// Gemm, its blocks count rows and batches as layout.shape does.
absl::Status MultiplyIntegers(const KernelContext& ctx, const MatMulLayout& layout, const Tensor& a,
                              const Tensor& b, int32_t* y,
                              std::optional<GemmEpilogue> epilogue = std::nullopt);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_INTEGER_PRODUCT_H_

// The orders in which cuBLASLt keeps the elements of a matrix, as the QOrdered operators of
// com.microsoft name them.
#ifndef ONNXCMP_OPS_CONTRIB_Q_ORDERED_MATRIX_ORDER_H_
#define ONNXCMP_OPS_CONTRIB_Q_ORDERED_MATRIX_ORDER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The values of the attributes.
enum class MatrixOrder : uint8_t {
  kColumn = 0,
  kRow = 1,
  kColumn32 = 2,         // columns in groups of 32, each row by row
  kColumn4x4r2x8c = 3,   // COL4_4R2_8C: tiles of 8 x 32, even rows first, in blocks of 4 columns
  kColumn32x2rx4r4 = 4,  // COL32_2R_4R4: tiles of 32 x 32
};

absl::StatusOr<MatrixOrder> MatrixOrderOf(int64_t attribute, absl::string_view name);
// Unimplemented if the attribute is another order, as onnxruntime's kernels have it.
absl::Status RequireOrder(int64_t attribute, absl::string_view name, MatrixOrder order);

// The bytes of every matrix (the last two axes; a vector is one row) of x moved from one order to
// another. Matrices must consist of whole tiles.
absl::StatusOr<Tensor> Reordered(const KernelContext& ctx, const Tensor& x, MatrixOrder from,
                                 MatrixOrder to);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_Q_ORDERED_MATRIX_ORDER_H_

// Operators on the square matrices in the last two dimensions, each one by itself.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_SQUARE_MATRICES_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_SQUARE_MATRICES_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {

// Sets output 0 to what `compute(matrix, n, y)` makes of each matrix of input 0, in row-major
// order, of which it may spoil its copy: a matrix of the same size, or a number. Computed in double
// for all types.
inline absl::Status EmitOfSquareMatrices(
    KernelContext& ctx, bool gives_matrices,
    absl::FunctionRef<void(double* matrix, int64_t n, double* y)> compute) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
  if (x.rank() < 2 || x.dim(x.rank() - 1) != x.dim(x.rank() - 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must hold square matrices, not be ", ctx.Input(0).TypeString()));
  }
  const int64_t n = x.dim(x.rank() - 1);
  const Shape shape(x.shape().begin(), x.shape().end() - (gives_matrices ? 0 : 2));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, shape));
  if (y.num_elements() > 0) {
    double* out = y.mutable_data<double>();
    const int64_t step = gives_matrices ? n * n : 1;
    const int64_t side = std::clamp<int64_t>(n, 1, 32);  // larger ones are worth a task each
    ctx.pool().ParallelRanges(y.num_elements() / step, 32768 / (side * side * side),
                              [&](int64_t begin, int64_t end) {
                                std::vector<double> matrix(static_cast<size_t>(n * n));
                                for (int64_t i = begin; i < end; ++i) {
                                  std::copy_n(x.data<double>() + i * n * n, n * n, matrix.data());
                                  compute(matrix.data(), n, out + i * step);
                                }
                              });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_SQUARE_MATRICES_H_

// Products with NumPy's rules of matmul: vectors, batches, broadcasting of batches.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_MATMUL_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_MATMUL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {

// How the elements of two factors are combined.
struct MatMulLayout {
  struct Factor {
    int64_t row_stride = 0;
    int64_t column_stride = 0;
    Tensor offsets;  // int64, where the matrix of every batch begins; undefined if there is one

    absl::Span<const int64_t> batch_offsets() const {
      return offsets.defined() ? offsets.AsSpan<int64_t>() : absl::Span<const int64_t>();
    }
  };
  GemmShape shape;
  Factor a;
  Factor b;
  Shape output;
  // The product's rows and batches in `shape` may be more and fewer than those of the tensors:
  // batches of A's rows that meet one B are one matrix.
};

// Strides in elements. InvalidArgument if the shapes do not fit.
absl::StatusOr<MatMulLayout> LayOutMatMul(const KernelContext& ctx,
                                          absl::Span<const int64_t> a_shape,
                                          absl::Span<const int64_t> a_strides,
                                          absl::Span<const int64_t> b_shape,
                                          absl::Span<const int64_t> b_strides);

// a * b for every type that MatMul's schema allows (narrow floats: summed in float, rounded once);
// views are multiplied in place. Floats are scaled by `alpha` after the sum.
absl::StatusOr<Tensor> MatMulTensors(const KernelContext& ctx, const Tensor& a, const Tensor& b,
                                     float alpha = 1.0f);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_MATMUL_H_

// The loops of a matrix product that its time goes into, for each set of vector instructions.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_KERNELS_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_KERNELS_H_

#include <cstdint>

#include "evaluator/base/instructions.h"
#include "ops/common/products/gemm_tile.h"

namespace onnxcmp::gemm_internal {

// Columns of a panel of B: 64 bytes, two vectors of AVX2, one of AVX-512. What gemm.h says of
// packing holds for all.
template <typename T>
inline constexpr int64_t kPanelColumns = 64 / static_cast<int64_t>(sizeof(T));

// Every sum is over `depth` values of k in ascending order, with fused multiply-adds from zero;
// C becomes the sum, or has it added. Rows of A are contiguous in k.
template <typename T>
struct GemmKernels {
  // `rows` by `columns` of C. Panel p of B, kPanelColumns columns, begins at b + p * b_panel, and
  // its rows are b_row apart. The last one is full too, with any numbers after the last column.
  void (*multiply)(int64_t rows, int64_t columns, int64_t depth, const T* a, int64_t a_row,
                   const T* b, int64_t b_row, int64_t b_panel, Accumulator<T>* c, int64_t c_row,
                   bool add);
  // One row of C, columns `begin` to `end`, over B as it lies in memory. Returns the first column
  // that is left over: the rest is less than a panel.
  int64_t (*multiply_row)(int64_t depth, const T* a, const T* b, int64_t b_row, Accumulator<T>* c,
                          int64_t begin, int64_t end, bool add);
};

// T: float, double, uint32_t, uint64_t, Int16Pair.
namespace base {
template <typename T>
GemmKernels<T> Kernels();
}  // namespace base
namespace avx512 {
template <typename T>
GemmKernels<T> Kernels();
}  // namespace avx512
namespace avx512_vnni {
template <typename T>
GemmKernels<T> Kernels();  // of Int16Pair alone
}  // namespace avx512_vnni

}  // namespace onnxcmp::gemm_internal

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_KERNELS_H_

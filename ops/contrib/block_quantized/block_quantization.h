// Weights whose elements are whole numbers of 2, 4 or 8 bits, the first in the lowest bits of a
// byte, with a scale and a zero point for every block of neighbours in a row:
//   value[n, k] = (code[n, k] - zero[n, k / block_size]) * scale[n, k / block_size]
#ifndef ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_BLOCK_QUANTIZATION_H_
#define ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_BLOCK_QUANTIZATION_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {

// uint2, uint4 or uint8; "bits is 3, not 2, 4 or 8".
absl::StatusOr<DType> CodeType(int64_t bits);

// OK for a power of two that is at least 16.
absl::Status CheckBlockSize(int64_t block_size);

// The same bytes as elements of another type of at most 8 bits, first in the lowest bits. `bytes`
// has a type of 8 bits; `shape` must need no more bytes than there are.
absl::StatusOr<Tensor> ViewBytesAs(const KernelContext& ctx, const Tensor& bytes, DType dtype,
                                   absl::Span<const int64_t> shape);

// The first `count` codes in each of `rows` equal parts of uint8 `bytes`, as C (rows x count).
template <typename C>
absl::StatusOr<Tensor> LoadCodes(const KernelContext& ctx, const Tensor& bytes, DType codes,
                                 int64_t rows, int64_t count);

// `rows` x `columns` weights: the outputs and the inputs of a layer.
template <typename C>
struct BlockWeights {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t bits = 4;
  int64_t block_size = 0;
  int64_t blocks = 0;  // of a row
  const uint8_t* codes = nullptr;
  int64_t row_bytes = 0;      // from a row to the next
  const C* scales = nullptr;  // rows x blocks
  const C* zeros = nullptr;   // rows x blocks; null: 2^(bits - 1)
  // The block of each column, where it is not column / block_size.
  absl::Span<const int32_t> block_of_column = {};
};

// y (m x rows) = a (m x columns) * weights^T; the weights are unpacked as they are packed for the
// product, once. Sums as in Gemm.
template <typename C>
void MultiplyByWeights(const ThreadPool& pool, int64_t m, const C* a,
                       const BlockWeights<C>& weights, C* y,
                       std::optional<GemmEpilogue> epilogue = std::nullopt);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_BLOCK_QUANTIZATION_H_

// 8-bit integers as factors of integer products: less their zero points, as pairs of neighbouring
// k.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_BYTE_PAIRS_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_BYTE_PAIRS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {

// Contiguous int8 or uint8 elements.
struct Bytes {
  const uint8_t* data;
  bool is_signed;
};
inline Bytes BytesOf(const Tensor& contiguous) {
  return {contiguous.data<uint8_t>(), contiguous.dtype() == DType::kInt8};
}

// to[i] = from[i] - zero, for T int16_t and float.
template <typename T>
void WidenBytes(const ThreadPool& pool, Bytes from, int64_t count, int16_t zero, T* to);

// Pairs that a row of `depth` elements makes.
inline int64_t PairsOf(int64_t depth) { return depth / 2 + depth % 2; }

// The rows of a left factor: rows x 2 * PairsOf(depth) elements less the zero point of their row
// (or of all rows, if there is one), the last pair filled up with 0.
void WidenRows(const ThreadPool& pool, Bytes from, int64_t rows, int64_t depth,
               absl::Span<const int16_t> zeros, int16_t* to);

// A right factor: matrices of depth x columns, one after the other, less the zero points of their
// columns.
class BytePairPacker final : public GemmPacker<gemm_internal::Int16Pair> {
 public:
  // Where matrix i of a batch begins: at batch_offsets[i], or at i * depth * columns if there are
  // none. `zeros`: one for each column of each matrix, or one for all.
  BytePairPacker(Bytes bytes, int64_t depth, int64_t columns,
                 absl::Span<const int64_t> batch_offsets, absl::Span<const int16_t> zeros)
      : bytes_(bytes),
        depth_(depth),
        columns_(columns),
        batch_offsets_(batch_offsets),
        zeros_(zeros) {}

  void Pack(int64_t batch, int64_t k, int64_t depth, int64_t column, int64_t columns,
            gemm_internal::Int16Pair* panel) const override;

 private:
  const Bytes bytes_;
  const int64_t depth_;
  const int64_t columns_;
  const absl::Span<const int64_t> batch_offsets_;
  const absl::Span<const int16_t> zeros_;
};

// Products of few rows, where packing the right factor takes longer than multiplying.
inline constexpr int64_t kFewRows = 4;

// As GemmPacked with a BytePairPacker: `a` as WidenRows made it, its matrices beginning at rows
// a_rows[i] or, if there are none, i * shape.m; shape.k counts elements.
void MultiplyFewRows(const ThreadPool& pool, const GemmShape& shape, const int16_t* a,
                     absl::Span<const int64_t> a_rows, Bytes b, absl::Span<const int64_t> b_offsets,
                     absl::Span<const int16_t> b_zeros, int32_t* y,
                     const std::optional<GemmEpilogue>& epilogue);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_BYTE_PAIRS_H_

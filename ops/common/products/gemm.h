// Matrix products: C = A * B, or C += A * B, for one matrix or a batch of them.
//
// An element of C depends on its row of A and its column of B alone: the sum runs over k in
// ascending order in blocks of kGemmDepth, with fused multiply-adds inside a block (from zero) and
// one addition per further block. So a row has the same bits whether it is computed alone or in a
// large product, wherever it lies in C, whatever the strides, and for any number of threads.
// Integer products are exact and wrap around.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "ops/common/products/gemm_tile.h"

namespace onnxcmp {

// Rows of B that are summed before their sum is added to C.
inline constexpr int64_t kGemmDepth = 256;

// A is m x k, B is k x n, C is m x n; `batch` such products.
struct GemmShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t batch = 1;
};

// A factor, with any strides (in elements; 0 and negative ones too). Matrix i of a batch begins at
// data + batch_offsets[i], or at data + i * batch_stride if there are no offsets.
template <typename T>
struct GemmFactor {
  const T* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 1;
  int64_t batch_stride = 0;
  absl::Span<const int64_t> batch_offsets = {};

  const T* Batch(int64_t i) const {
    return data +
           (batch_offsets.empty() ? i * batch_stride : batch_offsets[static_cast<size_t>(i)]);
  }
};

// The product; contiguous within a row. The matrices of a batch must not overlap.
template <typename T>
struct GemmProduct {
  T* data = nullptr;
  int64_t row_stride = 0;
  int64_t batch_stride = 0;
  absl::Span<const int64_t> batch_offsets = {};
  bool accumulate = false;  // C += A * B

  T* Batch(int64_t i) const {
    return data +
           (batch_offsets.empty() ? i * batch_stride : batch_offsets[static_cast<size_t>(i)]);
  }
};

// A part of C that is complete.
struct GemmBlock {
  int64_t batch;
  int64_t row_begin, row_end;
  int64_t column_begin, column_end;
};

// Called once for every part of C while it is still in the cache, on the thread that made it, to
// add a bias, apply an activation, round, ... Which parts there are depends on the shape only.
using GemmEpilogue = absl::FunctionRef<void(const GemmBlock&)>;

// T: float, double, uint32_t, uint64_t (which serve int32 and int64 too: the bits are the same).
// Small products allocate nothing and run on the caller's thread.
template <typename T>
void Gemm(const ThreadPool& pool, const GemmShape& shape, const GemmFactor<T>& a,
          const GemmFactor<T>& b, const GemmProduct<T>& c,
          std::optional<GemmEpilogue> epilogue = std::nullopt);

// For factors B that are not matrices in memory (the windows of a convolution, say).
//
// Columns of B that lie side by side in a panel; panels are what Pack fills.
template <typename T>
inline constexpr int64_t kGemmPanelColumns = 2 * gemm_internal::kLanes<T>;

template <typename T>
class GemmPacker {
 public:
  virtual ~GemmPacker() = default;
  // panel[i * kGemmPanelColumns + j] = B[k + i][column + j] for i < depth <= kGemmDepth and
  // j < columns <= kGemmPanelColumns, anything for greater j. Called from several threads.
  virtual void Pack(int64_t batch, int64_t k, int64_t depth, int64_t column, int64_t columns,
                    T* panel) const = 0;
};

// As Gemm. Also for T = gemm_internal::Int16Pair: k counts pairs, C is int32.
template <typename T>
void GemmPacked(const ThreadPool& pool, const GemmShape& shape, const GemmFactor<T>& a,
                const GemmPacker<T>& b, const GemmProduct<gemm_internal::Accumulator<T>>& c,
                std::optional<GemmEpilogue> epilogue = std::nullopt);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_H_

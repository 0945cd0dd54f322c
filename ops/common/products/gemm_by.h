// Products with instructions of one's choice, to compare and to measure them. gemm.h has what all
// others use.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_BY_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_BY_H_

#include <optional>

#include "evaluator/base/instructions.h"
#include "evaluator/base/thread_pool.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {

// Gemm and GemmPacked with these instructions, which the processor must have. The bits are the same
// with all.
template <typename T>
void GemmBy(Instructions instructions, const ThreadPool& pool, const GemmShape& shape,
            const GemmFactor<T>& a, const GemmFactor<T>& b, const GemmProduct<T>& c,
            std::optional<GemmEpilogue> epilogue = std::nullopt);
template <typename T>
void GemmPackedBy(Instructions instructions, const ThreadPool& pool, const GemmShape& shape,
                  const GemmFactor<T>& a, const GemmPacker<T>& b,
                  const GemmProduct<gemm_internal::Accumulator<T>>& c,
                  std::optional<GemmEpilogue> epilogue = std::nullopt);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_BY_H_

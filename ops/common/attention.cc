#include "ops/common/attention.h"

#include <algorithm>
#include <vector>

#include "ops/common/gemm.h"

namespace onnxcmp {

template <typename C>
void Attend(const ThreadPool& pool, const AttentionShape& shape, const AttentionRows<const C>& q,
            const AttentionRows<const C>& k, const AttentionRows<const C>& v,
            AttentionWeights<C> weights, const AttentionRows<C>& out) {
  // Queries are taken in blocks whose scores stay in the cache between the two products.
  constexpr int64_t kScores = int64_t{1} << 16;
  const int64_t block = std::clamp<int64_t>(kScores / std::max<int64_t>(1, shape.keys), 1, 64);
  const int64_t blocks = (shape.queries + block - 1) / block;
  pool.ParallelFor(shape.batch * shape.heads * blocks, [&](int64_t task) {
    const int64_t first = task % blocks * block;
    const int64_t rows = std::min(block, shape.queries - first);
    const int64_t head = task / blocks % shape.heads;
    const int64_t batch = task / blocks / shape.heads;
    const int64_t kv_head = head / (shape.heads / shape.kv_heads);
    std::vector<C> scores(static_cast<size_t>(rows * shape.keys));
    Gemm<C>(pool, {rows, shape.keys, shape.head_size}, {q.Row(batch, head, first), q.row_stride, 1},
            {k.Row(batch, kv_head, 0), 1, k.row_stride}, {scores.data(), shape.keys});
    for (int64_t i = 0; i < rows; ++i) {
      weights(batch, head, first + i, scores.data() + i * shape.keys);
    }
    Gemm<C>(pool, {rows, shape.value_size, shape.keys}, {scores.data(), shape.keys, 1},
            {v.Row(batch, kv_head, 0), v.row_stride, 1},
            {out.Row(batch, head, first), out.row_stride});
  });
}
template void Attend<float>(const ThreadPool&, const AttentionShape&,
                            const AttentionRows<const float>&, const AttentionRows<const float>&,
                            const AttentionRows<const float>&, AttentionWeights<float>,
                            const AttentionRows<float>&);
template void Attend<double>(const ThreadPool&, const AttentionShape&,
                             const AttentionRows<const double>&, const AttentionRows<const double>&,
                             const AttentionRows<const double>&, AttentionWeights<double>,
                             const AttentionRows<double>&);

}  // namespace onnxcmp

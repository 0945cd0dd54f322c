// The core of the attention operators: softmax(Q K^T) V, head by head.
//
// How scores become weights is in attention_scores.h, the cache of keys and values in
// attention_cache.h.
#ifndef ONNXCMP_OPS_COMMON_ATTENTION_ATTENTION_H_
#define ONNXCMP_OPS_COMMON_ATTENTION_ATTENTION_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct AttentionShape {
  int64_t batch = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;  // query head h reads key and value head h / (heads / kv_heads)
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t head_size = 0;   // of queries and keys; at least 1
  int64_t value_size = 0;  // of values; at least 1
  // The first keys of each batch entry that are used at all; empty: all. At most `keys` each.
  absl::Span<const int64_t> batch_keys = {};
  // Query i of entry b reads none of the keys from causal_keys[b] + i on; empty: it may read all.
  absl::Span<const int64_t> causal_keys = {};
};

// Where queries, keys, values or results lie: element c of row s of head h of batch entry b is
// data[b * batch_stride + h * head_stride + s * row_stride + c].
template <typename T>
struct AttentionRows {
  T* data = nullptr;
  int64_t batch_stride = 0;
  int64_t head_stride = 0;
  int64_t row_stride = 0;

  T* Row(int64_t batch, int64_t head, int64_t row) const {
    return data + batch * batch_stride + head * head_stride + row * row_stride;
  }
};

// Turns the products of one query with the first `keys` keys into the weights of the values: scale,
// bias, mask and softmax are the operator's. Keys after those that are shown have no weight.
template <typename C>
using AttentionWeights =
    absl::FunctionRef<void(int64_t batch, int64_t head, int64_t query, C* row, int64_t keys)>;

// out = weights(Q K^T) V; C: float or double. A row of `out` has the same bits whatever other rows
// there are.
template <typename C>
void Attend(const ThreadPool& pool, const AttentionShape& shape, const AttentionRows<const C>& q,
            const AttentionRows<const C>& k, const AttentionRows<const C>& v,
            AttentionWeights<C> weights, const AttentionRows<C>& out);

// "K has shape [2x3], expected ...".
absl::Status BadAttentionShape(absl::string_view name, const Tensor& tensor,
                               absl::string_view expected);

// (batch, heads, sequence, head size), of a tensor that is that already or (batch, sequence, heads
// * head size); a view.
absl::StatusOr<Tensor> WithHeads(const Tensor& x, absl::string_view name, int64_t heads);

// The sizes of an attention over tensors of (batch, heads, sequence, head size).
absl::StatusOr<AttentionShape> ShapeOfAttention(const Tensor& q, const Tensor& k, const Tensor& v);

// Attend for tensors of (batch, heads, sequence, head size), of any float type and any strides; no
// keys give zeros. The result is of type C and contiguous, (batch, queries, heads * value size) if
// `joined`, else (batch, heads, queries, value size).
template <typename C>
absl::StatusOr<Tensor> AttendTensors(const KernelContext& ctx, const AttentionShape& shape,
                                     const Tensor& q, const Tensor& k, const Tensor& v, bool joined,
                                     AttentionWeights<C> weights);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ATTENTION_ATTENTION_H_

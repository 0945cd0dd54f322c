// The core of the attention operators: softmax(Q K^T) V, head by head.
#ifndef ONNXCMP_OPS_COMMON_ATTENTION_H_
#define ONNXCMP_OPS_COMMON_ATTENTION_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "evaluator/thread_pool.h"

namespace onnxcmp {

struct AttentionShape {
  int64_t batch = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;  // query head h reads key and value head h / (heads / kv_heads)
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t head_size = 0;   // of queries and keys; at least 1
  int64_t value_size = 0;  // of values; at least 1
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

// Turns the products of one query with all keys into the weights of the values: scale, bias, mask
// and softmax are the operator's.
template <typename C>
using AttentionWeights =
    absl::FunctionRef<void(int64_t batch, int64_t head, int64_t query, C* row)>;

// out = weights(Q K^T) V; C: float or double. A row of `out` has the same bits whatever other rows
// there are.
template <typename C>
void Attend(const ThreadPool& pool, const AttentionShape& shape, const AttentionRows<const C>& q,
            const AttentionRows<const C>& k, const AttentionRows<const C>& v,
            AttentionWeights<C> weights, const AttentionRows<C>& out);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ATTENTION_H_

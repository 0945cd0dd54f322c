// From the products of a query with all keys to the weights of the values, for the attention
// operators of com.microsoft.
#ifndef ONNXCMP_OPS_CONTRIB_ATTENTION_ATTENTION_SCORES_H_
#define ONNXCMP_OPS_CONTRIB_ATTENTION_ATTENTION_SCORES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/attention/attention.h"

namespace onnxcmp {

// The numbers that are added to scores: one for each key, beginning at element offset + batch /
// beams * batch_stride + head * head_stride + query * query_stride of `values`.
template <typename C>
struct ScoreAddend {
  Tensor values;  // of type C; undefined: nothing is added
  int64_t offset = 0;
  int64_t batch_stride = 0;
  int64_t head_stride = 0;
  int64_t query_stride = 0;
  int64_t beams = 1;  // entries of the batch that share one entry of the values

  // Adds the numbers from `column` on to `keys` scores.
  void AddTo(int64_t batch, int64_t head, int64_t query, int64_t column, C* row,
             int64_t keys) const;
};

// attention_bias: (1 or batch, 1 or heads, queries, keys). Nothing if there is no such input.
template <typename C>
absl::StatusOr<ScoreAddend<C>> LoadAttentionBias(const KernelContext& ctx, int input,
                                                 const AttentionShape& shape);

// `filter` for the keys that a mask leaves out, 0 for the others. The mask is one of
//   (batch)                   the number of keys in use
//   (2 * batch)               where keys in use end, then where they begin
//   (3 * batch + 2)           the number of keys in use, and what only a GPU reads
//   (batch, keys)             1 for keys in use
//   (batch, 1), (1, 1)        nothing is left out, whatever it holds
//   (batch, queries, keys)    1 for keys in use
//   (batch, 1, max, max)      the same, of which the rows keys - queries to keys are read
// of which an operator allows some.
enum MaskForms : unsigned {
  kMaskLengths = 1,
  kMaskEndsAndStarts = 2,
  kMaskLengthsAndMore = 4,
  kMaskOfKeys = 8,
  kMaskDummy = 16,
  kMaskOfQueriesAndKeys = 32,
  kMaskOfAllTokens = 64,
};
template <typename C>
absl::StatusOr<ScoreAddend<C>> LoadKeyMask(const KernelContext& ctx, int input,
                                           absl::string_view name, const AttentionShape& shape,
                                           unsigned forms, float filter);

// Keys [begin, end) of a batch entry.
struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// Where an operator shows its scores, as (batch, heads, queries, columns), in any float type.
struct ShownScores {
  std::byte* data = nullptr;  // null: nowhere
  DType dtype = DType::kFloat;
  int64_t columns = 0;
  bool weights = false;  // results of the softmax, else its argument
};

// The weights of a row of products x:
//   s = cap(scale * x) + (mask + bias),  cap(s) = softcap * tanh(s / softcap)
//   w = exp(s) / (sum of exp(s) + exp(sink))
template <typename C>
struct AttentionScores {
  AttentionShape shape;
  C scale = 1;
  C softcap = 0;  // 0: none
  ScoreAddend<C> bias;
  ScoreAddend<C> mask;
  // The scores of keys from past + query + 1 on are the lowest number + bias, but for the last
  // query, which sees all keys. (BERT's operators know of no keys after it.)
  bool unidirectional = false;
  int64_t past = 0;
  // Keys that a query sees; the others have no weight, whatever the scores, and none has any if all
  // scores are -infinity. Null: all.
  std::function<KeyRange(int64_t batch, int64_t query)> visible;
  // Makes the scores of further keys of a range negative infinity. May be null.
  std::function<void(int64_t batch, int64_t head, int64_t query, KeyRange range, C* row)> exclude;
  std::vector<C> sinks;  // one for each head; empty: none
  // Column of the bias and of the shown scores that belongs to key 0 of each batch entry; empty: 0.
  std::vector<int64_t> columns;
  ShownScores shown;

  // As AttentionWeights.
  void operator()(int64_t batch, int64_t head, int64_t query, C* row, int64_t keys) const;
};

// `scale`, or 1 / sqrt(head size) for 0.
template <typename C>
C AttentionScale(float scale, int64_t head_size);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ATTENTION_ATTENTION_SCORES_H_

// The past, the masks of BERT and beams: shared by com.microsoft's attention operators with as many
// heads of keys as of queries.
#ifndef ONNXCMP_OPS_CONTRIB_ATTENTION_MULTI_HEAD_H_
#define ONNXCMP_OPS_CONTRIB_ATTENTION_MULTI_HEAD_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/contrib/attention/attention_scores.h"

namespace onnxcmp {

// Tensors that are not defined are not there.
struct MultiHeadArguments {
  // (batch, heads, sequence, head size), of the compute class, any strides.
  Tensor q, k, v;
  // (batch, heads, past, head size), of any float type; the past comes before k and v.
  Tensor past_key, past_value;
  // If given, the past and the present are one buffer: k and v replace its rows from here on, and
  // only rows up to theirs count.
  std::optional<int64_t> past_length;
  // The beam that each row of the past is read from; see WithIndirection.
  Tensor cache_indirection;
  // Entry b has the bias of entry b / bias_beams.
  int64_t bias_beams = 1;

  int bias_input = -1;  // attention_bias; -1: there is no such input
  int mask_input = -1;
  absl::string_view mask_name;
  unsigned mask_forms = 0;
  float mask_filter = -10000;
  float scale = 0;  // 0: 1 / sqrt(head size)
  bool unidirectional = false;
  bool wants_present = false;
  bool wants_scores = false;
};

// All of the compute class, but for the scores, which are of the type asked for.
struct MultiHeadResult {
  Tensor out;  // (batch, queries, heads * value size)
  // (batch, heads, all keys, head size); not defined unless asked for.
  Tensor present_key, present_value;
  // scale * Q K^T + attention_bias + mask, (batch, heads, queries, keys).
  Tensor scores;
};

// softmax(scale * Q K^T + attention_bias + mask) V, where the mask is 0 or the filter, and the
// score of a key after its query is the lowest number if attention is unidirectional.
template <typename C>
absl::StatusOr<MultiHeadResult> MultiHeadAttend(const KernelContext& ctx,
                                                const MultiHeadArguments& arguments,
                                                DType scores_dtype);

// The heads of x (batch, sequence, heads * size) + bias[first, first + heads * size) as C; `bias`
// is -1 or an input that may be left out.
template <typename C>
absl::StatusOr<Tensor> HeadsWithBias(const KernelContext& ctx, const Tensor& x,
                                     absl::string_view name, int64_t heads, int bias,
                                     int64_t first);

// Sets an output to a cache of the compute class, which may be a view, as dtype.
template <typename C>
absl::Status EmitCache(KernelContext& ctx, int output, const Tensor& cache, DType dtype);

// Runs the attention and sets the outputs that are there: the result, present_key, present_value
// and the scores, in this order.
template <typename C>
absl::Status EmitMultiHead(KernelContext& ctx, MultiHeadArguments arguments, DType dtype);

// num_heads of a node, at least 1.
absl::StatusOr<int64_t> ReadNumHeads(const KernelInit& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ATTENTION_MULTI_HEAD_H_

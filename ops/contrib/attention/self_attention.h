// Projections into heads: shared by the attention operators that have them inside: Attention,
// QAttention, DecoderMaskedSelfAttention, PackedAttention.
#ifndef ONNXCMP_OPS_CONTRIB_ATTENTION_SELF_ATTENTION_H_
#define ONNXCMP_OPS_CONTRIB_ATTENTION_SELF_ATTENTION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct SelfAttentionOptions {
  int64_t heads = 0;
  bool unidirectional = false;
  float mask_filter = -10000;
  float scale = 0;                    // 0: 1 / sqrt(head size)
  std::vector<int64_t> hidden_sizes;  // of Q, K, V; empty: a third of the weights' columns each
  bool rotates = false;
  int64_t rotary_dim = 0;      // 0: the whole head
  bool shares_buffer = false;  // past and present are one buffer
};

// Reads the attributes that the node's schema has.
absl::StatusOr<SelfAttentionOptions> ReadSelfAttention(const KernelInit& node);

// Where the operators have their inputs; -1: nowhere.
struct SelfAttentionInputs {
  int bias = 2;
  int mask = -1;
  int past = -1;
  int attention_bias = -1;
  int past_length = -1;
  int beam_width = -1;
  int cache_indirection = -1;
};

// Queries, keys and values as views of (batch, heads, sequence, head size), of type C.
struct ProjectedHeads {
  Tensor q, k, v;
};

// x * weights + bias, x being (batch, sequence, hidden) or (tokens, hidden), which count as one
// batch entry; the weights' columns are those of Q, K and V, head by head.
template <typename C>
absl::StatusOr<ProjectedHeads> Project(const KernelContext& ctx, const Tensor& x,
                                       const Tensor& weights, int bias,
                                       const SelfAttentionOptions& options);

// Attention of the projections, with all that the inputs say, to outputs 0 and 1 as dtype. The keys
// of past and present may be stored in groups of `key_group` channels, (batch, heads, head size /
// group, rows, group); 0: they are not.
template <typename C>
absl::Status RunSelfAttention(KernelContext& ctx, ProjectedHeads heads,
                              const SelfAttentionOptions& options,
                              const SelfAttentionInputs& inputs, DType dtype,
                              int64_t key_group = 0);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ATTENTION_SELF_ATTENTION_H_

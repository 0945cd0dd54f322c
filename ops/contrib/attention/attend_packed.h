// Attention over sequences that lie in a row without padding (PackedAttention,
// PackedMultiHeadAttention).
#ifndef ONNXCMP_OPS_CONTRIB_ATTENTION_ATTEND_PACKED_H_
#define ONNXCMP_OPS_CONTRIB_ATTENTION_ATTEND_PACKED_H_

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct PackedInputs {
  int token_offset = -1;  // (batch, longest sequence)
  int bounds = -1;        // cumulative_sequence_length, (batch + 1)
  int bias = -1;          // attention_bias, (1 or batch, 1 or heads, longest, longest)
};

// softmax(scale * Q K^T + attention_bias) V of every sequence by itself. Q, K and V are (1, heads,
// tokens, head size), of type C, any strides; the result is (tokens, heads * value size). scale 0:
// 1 / sqrt(head size).
template <typename C>
absl::StatusOr<Tensor> AttendPacked(const KernelContext& ctx, const Tensor& q, const Tensor& k,
                                    const Tensor& v, const PackedInputs& inputs, float scale);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ATTENTION_ATTEND_PACKED_H_

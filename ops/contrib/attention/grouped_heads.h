// Heads out of projections, their normalization and rotation: shared by the attention operators of
// decoders with grouped heads (GroupQueryAttention, SparseAttention, PagedAttention).
#ifndef ONNXCMP_OPS_CONTRIB_ATTENTION_GROUPED_HEADS_H_
#define ONNXCMP_OPS_CONTRIB_ATTENTION_GROUPED_HEADS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// num_heads and kv_num_heads as a maker reads them; an error if the one does not divide the other.
struct HeadCounts {
  int64_t q = 0;
  int64_t kv = 0;
};
absl::StatusOr<HeadCounts> ReadHeadCounts(const KernelInit& node);

// Queries, keys and values as views of (batch, heads, sequence, head size).
struct DecoderHeads {
  Tensor q;
  Tensor k;
  Tensor v;
};

// Splits tensors of (batch, sequence, heads * head size) each, or the query alone with the heads of
// all three side by side; then key and value are null. They may be there and have no tokens, if
// `may_be_empty`.
absl::StatusOr<DecoderHeads> SplitIntoHeads(const Tensor& query, const Tensor* key,
                                            const Tensor* value, const HeadCounts& counts,
                                            bool may_be_empty = false);
// Splits inputs 0, 1 and 2.
absl::StatusOr<DecoderHeads> SplitIntoHeads(const KernelContext& ctx, const HeadCounts& counts,
                                            bool may_be_empty = false);

// The sinks of the softmax, one for each head: those of the input, or zeros if it is left out and
// `smooth`; none otherwise.
template <typename C>
absl::StatusOr<std::vector<C>> LoadSinks(const KernelContext& ctx, int input, int64_t heads,
                                         bool smooth);

// x / sqrt(mean(x^2) + epsilon) * weight for every head at every position; `weight` is (head size).
absl::StatusOr<Tensor> NormalizedHeads(const KernelContext& ctx, const Tensor& x,
                                       const Tensor& weight, float epsilon);

// RotateHeads for a view of (batch, heads, sequence, head size): elements [offset, offset + 2 *
// columns of the caches) of each head turn by the angles of its position, positions[b * sequence +
// s]. InvalidArgument for a position that the caches do not have.
absl::StatusOr<Tensor> RotatedHeads(const KernelContext& ctx, const Tensor& x,
                                    absl::Span<const int64_t> positions, const Tensor& cosines,
                                    const Tensor& sines, bool interleaved, int64_t offset = 0);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ATTENTION_GROUPED_HEADS_H_

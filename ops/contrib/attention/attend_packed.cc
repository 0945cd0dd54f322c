#include "ops/contrib/attention/attend_packed.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/attention/attention.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/attention/attention_scores.h"
#include "ops/contrib/packed_sequences.h"

namespace onnxcmp {

template <typename C>
absl::StatusOr<Tensor> AttendPacked(const KernelContext& ctx, const Tensor& q, const Tensor& k,
                                    const Tensor& v, const PackedInputs& inputs, float scale) {
  OC_ASSIGN_OR_RETURN(AttentionShape all, ShapeOfAttention(q, k, v));
  if (all.keys != all.queries || all.kv_heads != all.heads) {
    return absl::InvalidArgumentError(absl::StrCat(all.heads, " heads of ", all.queries,
                                                   " queries do not go with ", all.kv_heads, " of ",
                                                   all.keys, " keys"));
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> bounds,
                      SequenceOffsets(ctx, inputs.bounds, all.queries, /*some_tokens=*/false));
  const Tensor& offsets = ctx.Input(inputs.token_offset);
  const auto batch = static_cast<int64_t>(bounds.size()) - 1;
  if (offsets.rank() != 2 || offsets.dim(0) != batch) {
    return BadAttentionShape("token_offset", offsets, absl::StrCat("(", batch, ", longest)"));
  }
  AttentionShape padded = all;
  padded.batch = batch;
  padded.queries = padded.keys = offsets.dim(1);
  OC_ASSIGN_OR_RETURN(const ScoreAddend<C> bias, LoadAttentionBias<C>(ctx, inputs.bias, padded));
  const int64_t hidden = all.heads * all.value_size;
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<C>, {all.queries, hidden}));
  C* rows = out.mutable_data<C>();
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t first = bounds[static_cast<size_t>(b)];
    const int64_t length = bounds[static_cast<size_t>(b) + 1] - first;
    if (length > padded.keys) {
      return absl::InvalidArgumentError(
          absl::StrCat("a sequence of ", length, " tokens is longer than ", padded.keys));
    }
    AttentionScores<C> scores;
    scores.shape = all;
    scores.shape.queries = scores.shape.keys = length;
    scores.scale = AttentionScale<C>(scale, all.head_size);
    scores.bias = bias;
    scores.bias.offset = b * bias.batch_stride;
    OC_ASSIGN_OR_RETURN(const Tensor part,
                        AttendTensors<C>(ctx, scores.shape, Narrowed(q, 2, first, length),
                                         Narrowed(k, 2, first, length),
                                         Narrowed(v, 2, first, length), true, scores));
    rows = std::copy_n(part.data<C>(), part.num_elements(), rows);
  }
  return out;
}
template absl::StatusOr<Tensor> AttendPacked<float>(const KernelContext&, const Tensor&,
                                                    const Tensor&, const Tensor&,
                                                    const PackedInputs&, float);
template absl::StatusOr<Tensor> AttendPacked<double>(const KernelContext&, const Tensor&,
                                                     const Tensor&, const Tensor&,
                                                     const PackedInputs&, float);

}  // namespace onnxcmp

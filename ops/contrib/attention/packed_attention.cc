#include "ops/contrib/attention/attend_packed.h"

#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/attention/self_attention.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeights, kBias, kTokenOffset, kBounds, kAttentionBias };

template <typename C>
absl::Status Run(KernelContext& ctx, const SelfAttentionOptions& options) {
  const Tensor& input = ctx.Input(kInput);
  if (input.rank() != 2) return BadAttentionShape("input", input, "(tokens, hidden)");
  OC_ASSIGN_OR_RETURN(const ProjectedHeads heads,
                      Project<C>(ctx, input, ctx.Input(kWeights), kBias, options));
  OC_ASSIGN_OR_RETURN(Tensor out,
                      AttendPacked<C>(ctx, heads.q, heads.k, heads.v,
                                      {kTokenOffset, kBounds, kAttentionBias}, options.scale));
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, input.dtype()));
  return ctx.SetOutput(0, std::move(out));
}

// PackedAttention (com.microsoft 1): Attention of sequences that lie in a row without
// padding, bounded by cumulative_sequence_length. attention_bias is that of the padded sequences,
// of which token_offset tells the length.
absl::StatusOr<Kernel> PackedAttention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const SelfAttentionOptions options, ReadSelfAttention(node));
  return FloatKernel(kInput,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribPackedAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "PackedAttention", {1}, PackedAttention);
}

}  // namespace onnxcmp

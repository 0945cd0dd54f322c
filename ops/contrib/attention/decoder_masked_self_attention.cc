#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/contrib/attention/self_attention.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kInput,
  kWeights,
  kBias,
  kMask,
  kPast,
  kAttentionBias,
  kPastLength,
  kBeamWidth,
  kCacheIndirection
};

template <typename C>
absl::Status Run(KernelContext& ctx, const SelfAttentionOptions& options) {
  const Tensor& input = ctx.Input(kInput);
  if (input.rank() != 3 || input.dim(1) != 1) {
    return BadAttentionShape("input", input, "(batch, 1, hidden)");
  }
  if (ctx.HasInput(kMask) && ctx.Input(kMask).rank() != 2) {
    return BadAttentionShape("mask_index", ctx.Input(kMask), "(batch, keys)");
  }
  const SelfAttentionInputs inputs = {.bias = kBias,
                                      .mask = kMask,
                                      .past = kPast,
                                      .attention_bias = kAttentionBias,
                                      .past_length = kPastLength,
                                      .beam_width = kBeamWidth,
                                      .cache_indirection = kCacheIndirection};
  OC_ASSIGN_OR_RETURN(ProjectedHeads heads,
                      Project<C>(ctx, input, ctx.Input(kWeights), kBias, options));
  // 16 bytes of each key lie together. A run in double keeps the layout of float.
  const int64_t group = input.dtype() == DType::kDouble ? 4 : 128 / BitWidth(input.dtype());
  return RunSelfAttention<C>(ctx, std::move(heads), options, inputs, input.dtype(), group);
}

// DecoderMaskedSelfAttention (com.microsoft 1): Attention of one new token, with beams: row b reads
// row t of the past of the beam that cache_indirection names, and the attention_bias of entry b /
// beam_width. The past is a buffer in which the new row takes its place. Its keys, and those of the
// present, are stored as the documentation says: a head's (rows, head size) is kept as (head size /
// x, rows, x), x elements being 16 bytes.
absl::StatusOr<Kernel> DecoderMaskedSelfAttention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const SelfAttentionOptions options, ReadSelfAttention(node));
  if (!options.shares_buffer) {
    return absl::UnimplementedError("DecoderMaskedSelfAttention without past_present_share_buffer");
  }
  return FloatKernel(kInput,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribDecoderMaskedSelfAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DecoderMaskedSelfAttention", {1}, DecoderMaskedSelfAttention);
}

}  // namespace onnxcmp

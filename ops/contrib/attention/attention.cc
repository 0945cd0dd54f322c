#include "ops/common/attention/attention.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/contrib/attention/self_attention.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeights, kBias, kMask, kPast, kAttentionBias, kPastLength };

template <typename C>
absl::Status Run(KernelContext& ctx, const SelfAttentionOptions& options) {
  if (ctx.Input(kInput).rank() != 3) {
    return BadAttentionShape("input", ctx.Input(kInput), "(batch, sequence, hidden)");
  }
  const SelfAttentionInputs inputs = {.bias = kBias,
                                      .mask = kMask,
                                      .past = kPast,
                                      .attention_bias = kAttentionBias,
                                      .past_length = kPastLength};
  OC_ASSIGN_OR_RETURN(ProjectedHeads heads,
                      Project<C>(ctx, ctx.Input(kInput), ctx.Input(kWeights), kBias, options));
  // Without a buffer that past and present share, all of the past counts.
  if (!options.shares_buffer) ctx.IgnoreInput(kPastLength);
  return RunSelfAttention<C>(ctx, std::move(heads), options, inputs, ctx.Input(kInput).dtype());
}

// Attention (com.microsoft 1): (Q | K | V) = input * weights + bias, then for every head
//   K, V = past and K, V, concatenated: present
//   Y = softmax(scale * Q K^T + attention_bias + mask) V
// where the mask is mask_filter_value for the keys that mask_index leaves out, and with
// `unidirectional` the score of a key after its query is the lowest number. do_rotary turns Q and
// K by angles that are powers of 10000, positions being counted from the past's length on. With
// past_present_share_buffer the past is a buffer in which the new rows take their places, from
// past_sequence_length on.
absl::StatusOr<Kernel> Attention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const SelfAttentionOptions options, ReadSelfAttention(node));
  return FloatKernel(kInput,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Attention", {1}, Attention);
}

}  // namespace onnxcmp

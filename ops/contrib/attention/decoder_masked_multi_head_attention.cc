#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/attention/multi_head.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kQuery,
  kKey,
  kValue,
  kMask,
  kAttentionBias,
  kPastKey,
  kPastValue,
  kPastLength,
  kBeamWidth,
  kCacheIndirection,
  kBias
};
constexpr int kScores = 3;  // the output

struct Options {
  int64_t heads = 0;
  float mask_filter = 0;
  float scale = 0;
  bool shares_buffer = false;
};

// Q, K and V with their heads; K and V of 4 dimensions come from another attention and get no bias.
template <typename C>
absl::Status LoadHeads(const KernelContext& ctx, const Options& options,
                       MultiHeadArguments* arguments) {
  const Tensor& query = ctx.Input(kQuery);
  if (query.rank() != 3 || query.dim(1) != 1) {
    return BadAttentionShape("query", query, "(batch, 1, hidden)");
  }
  if (ctx.HasInput(kKey) != ctx.HasInput(kValue)) {
    return absl::InvalidArgumentError("key and value come together or not");
  }
  Tensor q = query;
  Tensor k, v;
  if (ctx.HasInput(kKey)) {
    k = ctx.Input(kKey);
    v = ctx.Input(kValue);
  } else {
    const int64_t hidden = query.dim(2) / 3;
    if (query.dim(2) % 3 != 0) {
      return BadAttentionShape("query without key", query, "(batch, 1, 3 * hidden)");
    }
    q = Narrowed(query, 2, 0, hidden);
    k = Narrowed(query, 2, hidden, hidden);
    v = Narrowed(query, 2, 2 * hidden, hidden);
  }
  const int64_t hidden = q.dim(2);
  const int bias = k.rank() == 4 ? -1 : kBias;
  OC_ASSIGN_OR_RETURN(arguments->q, HeadsWithBias<C>(ctx, q, "query", options.heads, kBias, 0));
  OC_ASSIGN_OR_RETURN(arguments->k, HeadsWithBias<C>(ctx, k, "key", options.heads, bias, hidden));
  OC_ASSIGN_OR_RETURN(arguments->v,
                      HeadsWithBias<C>(ctx, v, "value", options.heads, bias, 2 * hidden));
  return absl::OkStatus();
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(kQuery).dtype();
  MultiHeadArguments arguments;
  OC_RETURN_IF_ERROR(LoadHeads<C>(ctx, options, &arguments));
  if (ctx.HasInput(kPastKey)) {
    arguments.past_key = ctx.Input(kPastKey);
    if (ctx.HasInput(kPastValue)) arguments.past_value = ctx.Input(kPastValue);
    if (!ctx.HasInput(kPastLength) && options.shares_buffer) {
      return absl::InvalidArgumentError("past_present_share_buffer needs past_sequence_length");
    }
    if (ctx.HasInput(kPastLength) && options.shares_buffer) {
      OC_ASSIGN_OR_RETURN(arguments.past_length, ctx.ScalarInput<int64_t>(kPastLength));
    }
    if (ctx.HasInput(kCacheIndirection)) {
      arguments.cache_indirection = ctx.Input(kCacheIndirection);
    }
  } else {
    // Keys of another attention have no past.
    for (int input : {kPastLength, kCacheIndirection}) ctx.IgnoreInput(input);
  }
  if (ctx.HasInput(kBeamWidth)) {
    OC_ASSIGN_OR_RETURN(arguments.bias_beams, ctx.ScalarInput<int64_t>(kBeamWidth));
    if (arguments.bias_beams < 1 || (arguments.bias_beams > 1 && arguments.past_key.defined() &&
                                     !arguments.cache_indirection.defined())) {
      return absl::InvalidArgumentError(absl::StrCat("beam_width is ", arguments.bias_beams,
                                                     ": at least 1, and more than 1 only with "
                                                     "cache_indirection"));
    }
  }
  arguments.bias_input = kAttentionBias;
  arguments.mask_input = kMask;
  arguments.mask_name = "mask_index";
  arguments.mask_forms = kMaskOfKeys;
  arguments.mask_filter = options.mask_filter;
  arguments.scale = options.scale;
  return EmitMultiHead<C>(ctx, arguments, dtype);
}

// DecoderMaskedMultiHeadAttention (com.microsoft 1): MultiHeadAttention of one new token, with
// beams: row b reads row t of the past of the beam that cache_indirection names, and the
// attention_bias of entry b / beam_width. With past_present_share_buffer the past is a buffer in
// which the new row takes its place. Keys are stored row by row, as onnxruntime's CPU kernel has
// them (the documentation has them in another order, which is that of its CUDA kernel). Output 3 is
// what the softmax gets. Without key and value, `query` holds all three side by side.
absl::StatusOr<Kernel> DecoderMaskedMultiHeadAttention(const KernelInit& node) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.heads, ReadNumHeads(node));
  options.mask_filter = node.Float("mask_filter_value", -10000.0f);
  options.scale = node.Float("scale", 0);
  options.shares_buffer = node.Int("past_present_share_buffer", 0) != 0;
  if (node.HasOutput(kScores) != (node.Int("output_qk", 0) != 0)) {
    return absl::InvalidArgumentError("output_qk and the output qk come together or not");
  }
  return FloatKernel(kQuery,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribDecoderMaskedMultiHeadAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DecoderMaskedMultiHeadAttention", {1},
               DecoderMaskedMultiHeadAttention);
}

}  // namespace onnxcmp

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
  kBias,
  kMask,
  kAttentionBias,
  kPastKey,
  kPastValue,
  kPastLength,
  kCacheIndirection
};

struct Options {
  int64_t heads = 0;
  float mask_filter = 0;
  float scale = 0;
  bool unidirectional = false;
};

// Part `i` of (batch, sequence, heads, parts, head size) as (batch, sequence, heads * head size).
absl::StatusOr<Tensor> Part(const KernelContext& ctx, const Tensor& packed, int64_t i) {
  const Tensor part = Narrowed(packed, 3, i, 1);
  OC_ASSIGN_OR_RETURN(const Tensor rows, ctx.Contiguous(part));
  return rows.Reshaped({part.dim(0), part.dim(1), part.dim(2) * part.dim(4)});
}

// Q, K and V as (batch, sequence, heads * head size), or K and V with their heads first.
struct Projections {
  Tensor q, k, v;
};

absl::StatusOr<Projections> Unpack(const KernelContext& ctx, int64_t heads) {
  const Tensor& query = ctx.Input(kQuery);
  const int parts = !ctx.HasInput(kKey) ? 3 : ctx.HasInput(kValue) ? 1 : 2;
  if (parts == 1) return Projections{query, ctx.Input(kKey), ctx.Input(kValue)};
  const Tensor& packed = parts == 3 ? query : ctx.Input(kKey);
  if (packed.rank() != 5 || packed.dim(2) != heads || packed.dim(3) != parts || packed.dim(4) < 1 ||
      (parts == 3 && ctx.HasInput(kValue))) {
    return BadAttentionShape(
        parts == 3 ? "query without key" : "key without value", packed,
        absl::StrCat("(batch, sequence, ", heads, ", ", parts, ", head size) and no value"));
  }
  Projections result;
  result.q = query;
  if (parts == 3) {
    OC_ASSIGN_OR_RETURN(result.q, Part(ctx, packed, 0));
  }
  OC_ASSIGN_OR_RETURN(result.k, Part(ctx, packed, parts - 2));
  OC_ASSIGN_OR_RETURN(result.v, Part(ctx, packed, parts - 1));
  return result;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(kQuery).dtype();
  OC_ASSIGN_OR_RETURN(const Projections given, Unpack(ctx, options.heads));
  if (given.q.rank() != 3) return BadAttentionShape("query", given.q, "(batch, sequence, hidden)");
  const int64_t hidden = given.q.dim(2);
  // Keys and values with their heads first come from another attention, with its bias in them.
  const bool cached = given.k.rank() == 4;
  if (cached != (given.v.rank() == 4) || (cached && ctx.HasInput(kPastKey))) {
    return absl::InvalidArgumentError(
        "key and value have 4 dimensions both or neither, and then there is no past");
  }
  const int bias = cached ? -1 : kBias;
  MultiHeadArguments arguments;
  OC_ASSIGN_OR_RETURN(arguments.q,
                      HeadsWithBias<C>(ctx, given.q, "query", options.heads, kBias, 0));
  OC_ASSIGN_OR_RETURN(arguments.k,
                      HeadsWithBias<C>(ctx, given.k, "key", options.heads, bias, hidden));
  OC_ASSIGN_OR_RETURN(arguments.v,
                      HeadsWithBias<C>(ctx, given.v, "value", options.heads, bias, 2 * hidden));
  if (ctx.HasInput(kPastKey)) arguments.past_key = ctx.Input(kPastKey);
  if (ctx.HasInput(kPastValue)) arguments.past_value = ctx.Input(kPastValue);
  if (ctx.HasInput(kPastLength)) {
    OC_ASSIGN_OR_RETURN(arguments.past_length, ctx.ScalarInput<int64_t>(kPastLength));
  }
  if (ctx.HasInput(kCacheIndirection)) {
    arguments.cache_indirection = ctx.Input(kCacheIndirection);
  }
  arguments.bias_input = kAttentionBias;
  arguments.mask_input = kMask;
  arguments.mask_name = "key_padding_mask";
  arguments.mask_forms = kMaskLengths | kMaskLengthsAndMore | kMaskOfKeys | kMaskOfQueriesAndKeys;
  arguments.mask_filter = options.mask_filter;
  arguments.scale = options.scale;
  arguments.unidirectional = options.unidirectional;
  return EmitMultiHead<C>(ctx, arguments, dtype);
}

// MultiHeadAttention (com.microsoft 1): for every head
//   K, V = past_key and K + bias, past_value and V + bias, concatenated: present_key,
//   present_value
//   Y = softmax(scale * (Q + bias) K^T + attention_bias + mask) V
// where the mask is mask_filter_value for the keys that key_padding_mask leaves out, and with
// `unidirectional` the score of a key after its query is the lowest number. Output 3 is what the
// softmax gets, as in onnxruntime (its documentation says what it gives). Without `value`, `key`
// holds K and V as (batch, sequence, heads, 2, head size); without `key`, `query` holds all three.
// Keys and values of 4 dimensions, (batch, heads, sequence, head size), are those of another
// attention and get no bias. With past_sequence_length the past is a buffer in which the new rows
// take their places; cache_indirection tells which beam each row of it is read from.
absl::StatusOr<Kernel> MultiHeadAttention(const KernelInit& node) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.heads, ReadNumHeads(node));
  options.mask_filter = node.Float("mask_filter_value", -10000.0f);
  options.scale = node.Float("scale", 0);
  options.unidirectional = node.Flag("unidirectional");
  return FloatKernel(kQuery,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribMultiHeadAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MultiHeadAttention", {1}, MultiHeadAttention);
}

}  // namespace onnxcmp

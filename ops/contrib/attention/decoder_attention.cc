#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/concat.h"
#include "ops/common/products/matmul.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/attention/attention_scores.h"
#include "ops/contrib/attention/multi_head.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kQuery,
  kKey,
  kQueryWeight,
  kKeyValueWeight,
  kBias,
  kPaddingMask,
  kKeyCache,
  kValueCache,
  kStaticKv,
  kUsePast,
  kHasLayerState,
  kHasPaddingMask
};

// (sequence, batch, hidden) as (batch, sequence, hidden); a view.
Tensor BatchFirst(const Tensor& x) {
  const Shape& t = x.strides();
  return x.Strided({x.dim(1), x.dim(0), x.dim(2)}, {t[1], t[0], t[2]}, x.offset());
}

// The heads of x * weight[:, first_column, ...] + bias[first_bias, ...], `hidden` columns each.
template <typename C>
absl::StatusOr<Tensor> ProjectTokens(const KernelContext& ctx, const Tensor& x, int weight,
                                     int64_t first_column, int64_t first_bias, int64_t heads) {
  const int64_t hidden = x.dim(2);
  OC_ASSIGN_OR_RETURN(const Tensor rows, LoadTensor<C>(ctx, BatchFirst(x)));
  OC_ASSIGN_OR_RETURN(
      const Tensor columns,
      LoadStridedTensor<C>(ctx, Narrowed(ctx.Input(weight), 1, first_column, hidden)));
  OC_ASSIGN_OR_RETURN(const Tensor product, MatMulTensors(ctx, rows, columns));
  return HeadsWithBias<C>(ctx, product, "the projection", heads, kBias, first_bias);
}

absl::Status CheckShapes(const KernelContext& ctx) {
  const Tensor& query = ctx.Input(kQuery);
  if (query.rank() != 3) return BadAttentionShape("query", query, "(sequence, batch, hidden)");
  const int64_t hidden = query.dim(2);
  const Tensor& key = ctx.Input(kKey);
  if (key.rank() != 3 || key.dim(1) != query.dim(1) || key.dim(2) != hidden) {
    return BadAttentionShape("key", key, absl::StrCat("(keys, ", query.dim(1), ", ", hidden, ")"));
  }
  const std::array<std::pair<int, Shape>, 3> expected = {{{kQueryWeight, {hidden, hidden}},
                                                          {kKeyValueWeight, {hidden, 2 * hidden}},
                                                          {kBias, {3 * hidden}}}};
  for (const auto& [input, shape] : expected) {
    if (ctx.Input(input).shape() != shape) {
      return BadAttentionShape(absl::StrCat("input ", input), ctx.Input(input),
                               ShapeToString(shape));
    }
  }
  return absl::OkStatus();
}

// The flags, each a tensor of one element.
struct Flags {
  bool static_kv = false, uses_cache = false, masks = false;
};

absl::StatusOr<Flags> ReadFlags(const KernelContext& ctx) {
  Flags flags;
  OC_ASSIGN_OR_RETURN(flags.static_kv, ctx.ScalarInput<bool>(kStaticKv));
  OC_ASSIGN_OR_RETURN(const bool use_past, ctx.ScalarInput<bool>(kUsePast));
  OC_ASSIGN_OR_RETURN(const bool has_state, ctx.ScalarInput<bool>(kHasLayerState));
  OC_ASSIGN_OR_RETURN(flags.masks, ctx.ScalarInput<bool>(kHasPaddingMask));
  flags.uses_cache = use_past && has_state;
  if (flags.uses_cache && (!ctx.HasInput(kKeyCache) || !ctx.HasInput(kValueCache))) {
    return absl::InvalidArgumentError("use_past and has_layer_state need the caches");
  }
  if (flags.masks && !ctx.HasInput(kPaddingMask)) {
    return absl::InvalidArgumentError("has_key_padding_mask needs key_padding_mask");
  }
  if (!flags.uses_cache) {
    for (int input : {kKeyCache, kValueCache}) ctx.IgnoreInput(input);
  }
  if (!flags.masks) ctx.IgnoreInput(kPaddingMask);
  return flags;
}

// Keys (part 0) or values (part 1): the cache, the projection, or one after the other.
template <typename C>
absl::StatusOr<Tensor> KeysOrValues(const KernelContext& ctx, const Flags& flags, int64_t part,
                                    int64_t heads) {
  const int64_t hidden = ctx.Input(kQuery).dim(2);
  Tensor cache;
  if (flags.uses_cache) {
    const Tensor& given = ctx.Input(part == 0 ? kKeyCache : kValueCache);
    const int64_t batch = ctx.Input(kQuery).dim(1);
    if (given.rank() != 4 || given.dim(0) != batch || given.dim(1) != heads ||
        given.dim(3) != hidden / heads) {
      return BadAttentionShape(
          "the cache", given,
          absl::StrCat("(", batch, ", ", heads, ", past, ", hidden / heads, ")"));
    }
    OC_ASSIGN_OR_RETURN(cache, LoadStridedTensor<C>(ctx, given));
    if (flags.static_kv) return cache;
  }
  const Tensor& source = ctx.Input(flags.static_kv ? kKey : kQuery);
  OC_ASSIGN_OR_RETURN(Tensor fresh, ProjectTokens<C>(ctx, source, kKeyValueWeight, part * hidden,
                                                     (1 + part) * hidden, heads));
  if (!flags.uses_cache) return fresh;
  return Concatenated(ctx, {cache, fresh}, 2);
}

template <typename C>
absl::Status Run(KernelContext& ctx, int64_t heads) {
  const DType dtype = ctx.Input(kQuery).dtype();
  OC_RETURN_IF_ERROR(CheckShapes(ctx));
  OC_ASSIGN_OR_RETURN(const Flags flags, ReadFlags(ctx));
  OC_ASSIGN_OR_RETURN(const Tensor q,
                      ProjectTokens<C>(ctx, ctx.Input(kQuery), kQueryWeight, 0, 0, heads));
  OC_ASSIGN_OR_RETURN(const Tensor k, KeysOrValues<C>(ctx, flags, 0, heads));
  OC_ASSIGN_OR_RETURN(const Tensor v, KeysOrValues<C>(ctx, flags, 1, heads));
  OC_ASSIGN_OR_RETURN(const AttentionShape shape, ShapeOfAttention(q, k, v));
  AttentionScores<C> scores;
  scores.shape = shape;
  scores.scale = AttentionScale<C>(0, shape.head_size);
  if (flags.masks) {
    if (ctx.Input(kPaddingMask).shape() != Shape{shape.batch, shape.keys}) {
      return BadAttentionShape("key_padding_mask", ctx.Input(kPaddingMask),
                               absl::StrCat("(", shape.batch, ", ", shape.keys, ")"));
    }
    OC_ASSIGN_OR_RETURN(const Tensor padding, ctx.ContiguousInput(kPaddingMask));
    OC_ASSIGN_OR_RETURN(scores.mask.values, ctx.Allocate(kDTypeOf<C>, padding.shape()));
    C* mask = scores.mask.values.template mutable_data<C>();
    LoadElements(padding.dtype(), padding.raw_data(), 0, padding.num_elements(), mask);
    for (int64_t i = 0; i < padding.num_elements(); ++i) {
      mask[i] = mask[i] != 0 ? -std::numeric_limits<C>::infinity() : C{0};
    }
    scores.mask.batch_stride = shape.keys;
  }
  OC_ASSIGN_OR_RETURN(const Tensor out, AttendTensors<C>(ctx, shape, q, k, v, true, scores));
  OC_RETURN_IF_ERROR(EmitCache<C>(ctx, 0, BatchFirst(out), dtype));
  if (ctx.HasOutput(1)) OC_RETURN_IF_ERROR(EmitCache<C>(ctx, 1, k, dtype));
  return ctx.HasOutput(2) ? EmitCache<C>(ctx, 2, v, dtype) : absl::OkStatus();
}

// DecoderAttention (com.microsoft 1), the sequence before the batch:
//   Q = query * q_weight + bias[:hidden]
//   K | V = x * kv_weight + bias[hidden:], x being key if static_kv (cross attention), else query
//   output = softmax(Q K^T / sqrt(head size) + mask) V
// With use_past and has_layer_state, K and V are the caches if static_kv, else follow them. The
// mask is -inf where key_padding_mask is true, if has_key_padding_mask; so mask_filter_value has no
// use, as in onnxruntime. The new caches are K and V.
absl::StatusOr<Kernel> DecoderAttention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const int64_t heads, ReadNumHeads(node));
  node.Ignore("mask_filter_value");
  return FloatKernel(kQuery,
                     [heads]<typename C>(KernelContext& ctx) { return Run<C>(ctx, heads); });
}

}  // namespace

void RegisterContribDecoderAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DecoderAttention", {1}, DecoderAttention);
}

}  // namespace onnxcmp

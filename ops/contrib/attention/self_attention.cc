#include "ops/contrib/attention/self_attention.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/movement/concat.h"
#include "ops/common/products/gemm.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/attention/attention_scores.h"
#include "ops/contrib/attention/grouped_heads.h"
#include "ops/contrib/attention/multi_head.h"

namespace onnxcmp {
namespace {

// Columns of Q and of K, and of V.
struct HiddenSizes {
  int64_t qk = 0;
  int64_t v = 0;
};

absl::StatusOr<HiddenSizes> SplitColumns(int64_t columns, const SelfAttentionOptions& options) {
  HiddenSizes sizes = {columns / 3, columns / 3};
  if (!options.hidden_sizes.empty()) {
    if (options.hidden_sizes.size() != 3 || options.hidden_sizes[0] != options.hidden_sizes[1]) {
      return absl::InvalidArgumentError("qkv_hidden_sizes must be three, the first two the same");
    }
    sizes = {options.hidden_sizes[0], options.hidden_sizes[2]};
  }
  if (sizes.qk < 1 || sizes.v < 1 || sizes.qk > columns || sizes.v > columns ||
      2 * sizes.qk + sizes.v != columns || sizes.qk % options.heads != 0 ||
      sizes.v % options.heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the weights' ", columns, " columns do not make Q, K and V of ", options.heads, " heads"));
  }
  return sizes;
}

// Q and K turned by the angles position / 10000^(2 i / rotary_dim), the pairs being halves of the
// rotated part; the first position is `past`.
template <typename C>
absl::Status Rotate(const KernelContext& ctx, const SelfAttentionOptions& options, int64_t past,
                    ProjectedHeads* heads) {
  const int64_t size = heads->q.dim(3);
  const int64_t dim = options.rotary_dim == 0 ? size : options.rotary_dim;
  if (dim < 2 || dim > size || dim % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot rotate ", dim, " elements of a head of ", size));
  }
  const int64_t rows = heads->q.dim(2);
  if (heads->q.num_elements() == 0) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(Tensor cosines, ctx.Allocate(kDTypeOf<C>, {rows, dim / 2}));
  OC_ASSIGN_OR_RETURN(Tensor sines, ctx.Allocate(kDTypeOf<C>, {rows, dim / 2}));
  C* angles = sines.mutable_data<C>();
  std::vector<C> exponents, bases(static_cast<size_t>(dim / 2), C{10000});
  for (int64_t i = 0; i < dim / 2; ++i) {
    exponents.push_back(static_cast<C>(2 * i) / static_cast<C>(dim));
  }
  vec::Pow(bases.data(), exponents.data(), dim / 2, bases.data());
  for (int64_t s = 0; s < rows; ++s) {
    for (C base : bases) *angles++ = static_cast<C>(past + s) / base;
  }
  vec::Cos(sines.data<C>(), sines.num_elements(), cosines.mutable_data<C>());
  vec::Sin(sines.data<C>(), sines.num_elements(), sines.mutable_data<C>());
  std::vector<int64_t> positions;
  for (int64_t b = 0; b < heads->q.dim(0); ++b) {
    for (int64_t s = 0; s < rows; ++s) positions.push_back(s);
  }
  for (Tensor* x : {&heads->q, &heads->k}) {
    OC_ASSIGN_OR_RETURN(*x, RotatedHeads(ctx, *x, positions, cosines, sines, false));
  }
  return absl::OkStatus();
}

// Part 0 (keys) or 1 (values) of a past (2, batch, heads, rows, head size).
Tensor PartOfPast(const Tensor& past, int64_t part) {
  const Shape& s = past.shape();
  const Shape& t = past.strides();
  const int64_t offset = past.num_elements() == 0 ? 0 : part * t[0];
  return past.Strided({s[1], s[2], s[3], s[4]}, {t[1], t[2], t[3], t[4]}, past.offset() + offset);
}

// Keys (batch, heads, rows, size) that are stored as (batch, heads, size / group, rows, group): a
// view of the stored ones of a contiguous cache, made contiguous.
absl::StatusOr<Tensor> Ungrouped(const KernelContext& ctx, const Tensor& cache, int64_t group) {
  OC_ASSIGN_OR_RETURN(const Tensor keys, ctx.Contiguous(cache));
  const int64_t head = keys.dim(2) * keys.dim(3);
  const Tensor view =
      keys.Strided({keys.dim(0), keys.dim(1), keys.dim(2), keys.dim(3) / group, group},
                   {keys.dim(1) * head, head, group, keys.dim(2) * group, 1}, keys.offset());
  OC_ASSIGN_OR_RETURN(const Tensor rows, ctx.Contiguous(view));
  return rows.Reshaped(keys.shape());
}

// The inverse.
absl::StatusOr<Tensor> Grouped(const KernelContext& ctx, const Tensor& keys, int64_t group) {
  const Shape& s = keys.shape();
  const Shape& t = keys.strides();
  const Tensor view = keys.Strided({s[0], s[1], s[3] / group, s[2], group},
                                   {t[0], t[1], group * t[3], t[2], t[3]}, keys.offset());
  OC_ASSIGN_OR_RETURN(const Tensor rows, ctx.Contiguous(view));
  return rows.Reshaped(s);
}

}  // namespace

absl::StatusOr<SelfAttentionOptions> ReadSelfAttention(const KernelInit& node) {
  SelfAttentionOptions options;
  OC_ASSIGN_OR_RETURN(options.heads, ReadNumHeads(node));
  options.unidirectional = node.Int("unidirectional", 0) != 0;
  options.mask_filter = node.Float("mask_filter_value", -10000.0f);
  options.scale = node.Float("scale", 0);
  options.hidden_sizes = node.Ints("qkv_hidden_sizes");
  options.rotates = node.Int("do_rotary", 0) != 0;
  options.rotary_dim = node.Int("rotary_embedding_dim", 0);
  options.shares_buffer = node.Int("past_present_share_buffer", 0) != 0;
  return options;
}

template <typename C>
absl::StatusOr<ProjectedHeads> Project(const KernelContext& ctx, const Tensor& x,
                                       const Tensor& weights, int bias,
                                       const SelfAttentionOptions& options) {
  if (x.rank() != 2 && x.rank() != 3) return BadAttentionShape("input", x, "2 or 3 dimensions");
  const int64_t hidden = x.shape().back();
  if (weights.rank() != 2 || weights.dim(0) != hidden) {
    return BadAttentionShape("weights", weights, absl::StrCat("(", hidden, ", columns)"));
  }
  const int64_t columns = weights.dim(1);
  OC_ASSIGN_OR_RETURN(const HiddenSizes sizes, SplitColumns(columns, options));
  if (ctx.HasInput(bias) && ctx.Input(bias).shape() != Shape{columns}) {
    return BadAttentionShape("bias", ctx.Input(bias), absl::StrCat("(", columns, ")"));
  }
  const int64_t batch = x.rank() == 3 ? x.dim(0) : 1;
  const int64_t sequence = x.dim(x.rank() - 2);
  OC_ASSIGN_OR_RETURN(const Tensor a, LoadTensor<C>(ctx, x));
  OC_ASSIGN_OR_RETURN(const Tensor b, LoadStridedTensor<C>(ctx, weights));
  OC_ASSIGN_OR_RETURN(Tensor qkv, ctx.Allocate(kDTypeOf<C>, {batch, sequence, columns}));
  Gemm<C>(ctx.pool(), {batch * sequence, columns, hidden}, {a.data<C>(), hidden, 1},
          {b.data<C>(), b.strides()[0], b.strides()[1]}, {qkv.mutable_data<C>(), columns});
  if (ctx.HasInput(bias)) {
    OC_ASSIGN_OR_RETURN(const Tensor addend, LoadStridedTensor<C>(ctx, ctx.Input(bias)));
    OC_ASSIGN_OR_RETURN(qkv, ElementwiseIn<C>(ctx, std::array<const Tensor*, 2>{&qkv, &addend},
                                              kDTypeOf<C>, [](auto u, auto v) { return u + v; }));
  }
  ProjectedHeads heads;
  OC_ASSIGN_OR_RETURN(heads.q, WithHeads(Narrowed(qkv, 2, 0, sizes.qk), "Q", options.heads));
  OC_ASSIGN_OR_RETURN(heads.k, WithHeads(Narrowed(qkv, 2, sizes.qk, sizes.qk), "K", options.heads));
  OC_ASSIGN_OR_RETURN(heads.v,
                      WithHeads(Narrowed(qkv, 2, 2 * sizes.qk, sizes.v), "V", options.heads));
  return heads;
}

template <typename C>
absl::Status RunSelfAttention(KernelContext& ctx, ProjectedHeads heads,
                              const SelfAttentionOptions& options,
                              const SelfAttentionInputs& inputs, DType dtype, int64_t key_group) {
  MultiHeadArguments arguments;
  const bool wants_present = ctx.HasOutput(1);
  const bool has_past = inputs.past >= 0 && ctx.HasInput(inputs.past);
  if ((has_past || wants_present) && heads.k.dim(3) != heads.v.dim(3)) {
    return absl::InvalidArgumentError("past and present need K and V of the same size");
  }
  if (key_group > 0 && heads.k.dim(3) % key_group != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("keys of ", heads.k.dim(3), " elements do not make groups of ", key_group));
  }
  int64_t before = 0;
  if (has_past) {
    const Tensor& past = ctx.Input(inputs.past);
    const Tensor& k = heads.k;
    if (past.rank() != 5 || past.dim(0) != 2 || past.dim(1) != k.dim(0) ||
        past.dim(2) != k.dim(1) || past.dim(4) != k.dim(3)) {
      return BadAttentionShape(
          "past", past, absl::StrCat("(2, ", k.dim(0), ", ", k.dim(1), ", past, ", k.dim(3), ")"));
    }
    arguments.past_key = PartOfPast(past, 0);
    arguments.past_value = PartOfPast(past, 1);
    if (key_group > 0) {
      OC_ASSIGN_OR_RETURN(arguments.past_key, Ungrouped(ctx, arguments.past_key, key_group));
    }
    before = past.dim(3);
  }
  const bool has_length = inputs.past_length >= 0 && ctx.HasInput(inputs.past_length);
  if (options.shares_buffer && has_past) {
    if (!has_length) {
      return absl::InvalidArgumentError("past_present_share_buffer needs past_sequence_length");
    }
    OC_ASSIGN_OR_RETURN(before, ctx.ScalarInput<int64_t>(inputs.past_length));
    arguments.past_length = before;
  }
  if (inputs.cache_indirection >= 0 && ctx.HasInput(inputs.cache_indirection)) {
    arguments.cache_indirection = ctx.Input(inputs.cache_indirection);
  }
  if (inputs.beam_width >= 0 && ctx.HasInput(inputs.beam_width)) {
    OC_ASSIGN_OR_RETURN(arguments.bias_beams, ctx.ScalarInput<int64_t>(inputs.beam_width));
    if (arguments.bias_beams < 1) {
      return absl::InvalidArgumentError(absl::StrCat("beam_width is ", arguments.bias_beams));
    }
  }
  if (options.rotates) OC_RETURN_IF_ERROR(Rotate<C>(ctx, options, before, &heads));
  arguments.q = heads.q;
  arguments.k = heads.k;
  arguments.v = heads.v;
  arguments.bias_input = inputs.attention_bias;
  arguments.mask_input = inputs.mask;
  arguments.mask_name = "mask_index";
  arguments.mask_forms = kMaskLengths | kMaskEndsAndStarts | kMaskLengthsAndMore | kMaskOfKeys |
                         kMaskDummy | kMaskOfQueriesAndKeys | kMaskOfAllTokens;
  arguments.mask_filter = options.mask_filter;
  arguments.scale = options.scale;
  arguments.unidirectional = options.unidirectional;
  arguments.wants_present = wants_present;
  OC_ASSIGN_OR_RETURN(MultiHeadResult result, MultiHeadAttend<C>(ctx, arguments, dtype));
  OC_ASSIGN_OR_RETURN(Tensor out, StoreTensor<C>(ctx, result.out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(out)));
  if (!wants_present) return absl::OkStatus();
  Tensor& keys = result.present_key;
  if (key_group > 0) {
    OC_ASSIGN_OR_RETURN(keys, Grouped(ctx, keys, key_group));
  }
  // Both concatenated along a new first axis.
  const Shape shape = {2, keys.dim(0), keys.dim(1), keys.dim(2), keys.dim(3)};
  OC_ASSIGN_OR_RETURN(const Tensor present, Concatenated(ctx, {keys, result.present_value}, 0));
  return EmitCache<C>(ctx, 1, present.Reshaped(shape), dtype);
}

#define ONNXCMP_SELF_ATTENTION(C)                                                            \
  template absl::StatusOr<ProjectedHeads> Project<C>(                                        \
      const KernelContext&, const Tensor&, const Tensor&, int, const SelfAttentionOptions&); \
  template absl::Status RunSelfAttention<C>(KernelContext&, ProjectedHeads,                  \
                                            const SelfAttentionOptions&,                     \
                                            const SelfAttentionInputs&, DType, int64_t);
ONNXCMP_SELF_ATTENTION(float)
ONNXCMP_SELF_ATTENTION(double)
#undef ONNXCMP_SELF_ATTENTION

}  // namespace onnxcmp

#include "ops/contrib/attention/multi_head.h"

#include <array>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/movement/concat.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/attention/attention_cache.h"

namespace onnxcmp {
namespace {

// The past and the new rows: what the present is, and what attention reads of it.
struct Keys {
  Tensor present;
  Tensor read;
};

template <typename C>
absl::StatusOr<Keys> WithPast(const KernelContext& ctx, const MultiHeadArguments& arguments,
                              const Tensor& given_past, absl::string_view name,
                              const Tensor& fresh) {
  if (!given_past.defined()) return Keys{fresh, fresh};
  if (given_past.rank() != 4 || given_past.dim(0) != fresh.dim(0) ||
      given_past.dim(1) != fresh.dim(1) || given_past.dim(3) != fresh.dim(3)) {
    return BadAttentionShape(
        name, given_past,
        absl::StrCat("(", fresh.dim(0), ", ", fresh.dim(1), ", past, ", fresh.dim(3), ")"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor past, LoadStridedTensor<C>(ctx, given_past));
  Keys keys;
  const int64_t length = arguments.past_length.value_or(past.dim(2));
  if (arguments.past_length.has_value()) {
    OC_ASSIGN_OR_RETURN(keys.present, ReplacedRows(ctx, past, fresh, {length}));
    keys.read = Narrowed(keys.present, 2, 0, length + fresh.dim(2));
  } else {
    OC_ASSIGN_OR_RETURN(keys.present, Concatenated(ctx, {past, fresh}, 2));
    keys.read = keys.present;
  }
  if (arguments.cache_indirection.defined()) {
    OC_ASSIGN_OR_RETURN(keys.read,
                        WithIndirection(ctx, keys.read, arguments.cache_indirection, length));
  }
  return keys;
}

}  // namespace

template <typename C>
absl::StatusOr<MultiHeadResult> MultiHeadAttend(const KernelContext& ctx,
                                                const MultiHeadArguments& arguments,
                                                DType scores_dtype) {
  if (arguments.past_key.defined() != arguments.past_value.defined()) {
    return absl::InvalidArgumentError("past_key and past_value come together or not");
  }
  if (arguments.past_length.has_value() && !arguments.past_key.defined()) {
    return absl::InvalidArgumentError("past_sequence_length needs a past");
  }
  if (arguments.cache_indirection.defined() && !arguments.past_key.defined()) {
    return absl::InvalidArgumentError("cache_indirection needs a past");
  }
  OC_ASSIGN_OR_RETURN(Keys keys,
                      WithPast<C>(ctx, arguments, arguments.past_key, "past_key", arguments.k));
  OC_ASSIGN_OR_RETURN(Keys values,
                      WithPast<C>(ctx, arguments, arguments.past_value, "past_value", arguments.v));
  OC_ASSIGN_OR_RETURN(const AttentionShape shape,
                      ShapeOfAttention(arguments.q, keys.read, values.read));
  if (shape.kv_heads != shape.heads) {
    return absl::InvalidArgumentError(
        absl::StrCat("keys have ", shape.kv_heads, " heads, not ", shape.heads, " as the queries"));
  }

  AttentionScores<C> scores;
  scores.shape = shape;
  scores.scale = AttentionScale<C>(arguments.scale, shape.head_size);
  scores.unidirectional = arguments.unidirectional;
  scores.past = shape.keys - arguments.k.dim(2);
  if (arguments.bias_input >= 0) {
    OC_ASSIGN_OR_RETURN(scores.bias, LoadAttentionBias<C>(ctx, arguments.bias_input, shape));
    scores.bias.beams = arguments.bias_beams;
  }
  if (arguments.mask_input >= 0) {
    OC_ASSIGN_OR_RETURN(scores.mask,
                        LoadKeyMask<C>(ctx, arguments.mask_input, arguments.mask_name, shape,
                                       arguments.mask_forms, arguments.mask_filter));
  }
  MultiHeadResult result;
  if (arguments.wants_scores) {
    OC_ASSIGN_OR_RETURN(result.scores, ctx.Allocate(scores_dtype, {shape.batch, shape.heads,
                                                                   shape.queries, shape.keys}));
    scores.shown = {result.scores.mutable_raw_data(), scores_dtype, shape.keys, false};
  }
  OC_ASSIGN_OR_RETURN(
      result.out, AttendTensors<C>(ctx, shape, arguments.q, keys.read, values.read, true, scores));
  if (arguments.wants_present) {
    result.present_key = std::move(keys.present);
    result.present_value = std::move(values.present);
  }
  return result;
}

template <typename C>
absl::StatusOr<Tensor> HeadsWithBias(const KernelContext& ctx, const Tensor& x,
                                     absl::string_view name, int64_t heads, int bias,
                                     int64_t first) {
  if (x.rank() == 0) return BadAttentionShape(name, x, "3 or 4 dimensions");
  OC_ASSIGN_OR_RETURN(Tensor values, LoadStridedTensor<C>(ctx, x));
  if (bias >= 0 && ctx.HasInput(bias)) {
    const int64_t size = x.shape().back();
    const Tensor& all = ctx.Input(bias);
    if (all.rank() != 1 || all.dim(0) < first || all.dim(0) - first < size) {
      return BadAttentionShape("bias", all, "an element for each column of Q, K and V");
    }
    OC_ASSIGN_OR_RETURN(const Tensor part,
                        LoadStridedTensor<C>(ctx, Narrowed(all, 0, first, size)));
    OC_ASSIGN_OR_RETURN(
        values, ElementwiseIn<C>(ctx, std::array<const Tensor*, 2>{&values, &part}, kDTypeOf<C>,
                                 [](auto a, auto b) { return a + b; }));
  }
  return WithHeads(values, name, heads);
}

template <typename C>
absl::Status EmitCache(KernelContext& ctx, int output, const Tensor& cache, DType dtype) {
  OC_ASSIGN_OR_RETURN(Tensor contiguous, ctx.Contiguous(cache));
  OC_ASSIGN_OR_RETURN(contiguous, StoreTensor<C>(ctx, contiguous, dtype));
  return ctx.SetOutput(output, std::move(contiguous));
}

template <typename C>
absl::Status EmitMultiHead(KernelContext& ctx, MultiHeadArguments arguments, DType dtype) {
  arguments.wants_present = ctx.HasOutput(1) || ctx.HasOutput(2);
  arguments.wants_scores = ctx.HasOutput(3);
  OC_ASSIGN_OR_RETURN(MultiHeadResult result, MultiHeadAttend<C>(ctx, arguments, dtype));
  OC_ASSIGN_OR_RETURN(Tensor out, StoreTensor<C>(ctx, result.out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(out)));
  if (arguments.wants_present) {
    OC_RETURN_IF_ERROR(EmitCache<C>(ctx, 1, result.present_key, dtype));
    OC_RETURN_IF_ERROR(EmitCache<C>(ctx, 2, result.present_value, dtype));
  }
  return arguments.wants_scores ? ctx.SetOutput(3, std::move(result.scores)) : absl::OkStatus();
}

absl::StatusOr<int64_t> ReadNumHeads(const KernelInit& node) {
  const int64_t heads = node.Int("num_heads");
  if (heads < 1 || heads > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("num_heads is ", heads));
  }
  return heads;
}

#define ONNXCMP_MULTI_HEAD_ATTENTION(C)                                                          \
  template absl::Status EmitCache<C>(KernelContext&, int, const Tensor&, DType);                 \
  template absl::Status EmitMultiHead<C>(KernelContext&, MultiHeadArguments, DType);             \
  template absl::StatusOr<MultiHeadResult> MultiHeadAttend<C>(const KernelContext&,              \
                                                              const MultiHeadArguments&, DType); \
  template absl::StatusOr<Tensor> HeadsWithBias<C>(const KernelContext&, const Tensor&,          \
                                                   absl::string_view, int64_t, int, int64_t);
ONNXCMP_MULTI_HEAD_ATTENTION(float)
ONNXCMP_MULTI_HEAD_ATTENTION(double)
#undef ONNXCMP_MULTI_HEAD_ATTENTION

}  // namespace onnxcmp

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/movement.h"
#include "ops/contrib/attention/attention_cache.h"
#include "ops/contrib/attention/attention_scores.h"
#include "ops/contrib/attention/grouped_heads.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLengthsLessOne,
  kTotalLength,
  kCosines,
  kSines,
  kPositions,
  kAttentionBias,
  kHeadSink,
  kKeyScale,
  kValueScale,
  kQueryNorm,
  kKeyNorm,
  kQueryLengths
};
enum OutputIndex { kOutput, kPresentKey, kPresentValue, kScores };

struct Options {
  HeadCounts heads;
  float scale = 0;  // 0: 1 / sqrt(head size)
  float softcap = 0;
  bool causal = true;
  int64_t window = -1;  // keys that a query sees, itself the last; -1: all
  bool window_cache = false;
  bool smooth_softmax = false;
  int64_t shown = 0;  // 1: scores, 2: weights
  bool rotates = false;
  bool interleaved = false;
  float query_epsilon = 0, key_epsilon = 0;
  std::string key_quantization, value_quantization;
  int64_t bit_width = 0;
};

// Where past and new tokens lie along the sequence. Entry b has `past[b]` tokens before the new
// ones and total[b] in all, of which those from base[b] on are at hand as keys.
struct Tokens {
  int64_t batch = 0, queries = 0;
  int64_t max_total = 0;  // total_sequence_length
  bool prompt = false;    // there is no past, whatever the caches hold
  int64_t capacity = 0;   // rows of the past
  int64_t rows = 0;       // keys at hand, of the longest entry
  std::vector<int64_t> past, total, base;
  std::vector<CacheRows> kept;  // rows of the past that are keys
};

// Rows of a cache of `capacity` that stay after `total` tokens, if it holds at least a window.
int64_t ResidentRows(int64_t total, int64_t capacity, int64_t window) {
  if (total <= capacity) return total;
  const int64_t step = capacity - window + 1;
  return total - step * ((total - capacity + step - 1) / step);
}

// query_seqlens, how many of the new tokens of each entry are no padding; nothing if it is not
// given.
absl::StatusOr<std::vector<int64_t>> ReadQueryLengths(const KernelContext& ctx,
                                                      const Options& options, int64_t batch,
                                                      int64_t fresh) {
  if (!ctx.HasInput(kQueryLengths)) return std::vector<int64_t>();
  if (ctx.Input(kQueryLengths).shape() != Shape{batch}) {
    return BadAttentionShape("query_seqlens", ctx.Input(kQueryLengths),
                             absl::StrCat("(", batch, ")"));
  }
  if (!options.causal || !ctx.HasInput(kPastKey) || fresh != ctx.Input(kQuery).dim(1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "query_seqlens needs causal 1, a past and as many new keys as queries, but causal is ",
        options.causal ? 1 : 0, ", and there are ", fresh, " new keys for ",
        ctx.Input(kQuery).dim(1), " queries"));
  }
  return ctx.IntsInput(kQueryLengths);
}

// `fresh`: new keys of each entry, as many as queries or none, when the past holds all keys.
absl::StatusOr<Tokens> LayOutTokens(const KernelContext& ctx, const Options& options,
                                    int64_t fresh) {
  Tokens tokens;
  tokens.batch = ctx.Input(kQuery).dim(0);
  tokens.queries = ctx.Input(kQuery).dim(1);
  OC_ASSIGN_OR_RETURN(tokens.max_total, ctx.ScalarInput<int64_t>(kTotalLength));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, ctx.IntsInput(kLengthsLessOne));
  if (static_cast<int64_t>(lengths.size()) != tokens.batch) {
    return BadAttentionShape("seqlens_k", ctx.Input(kLengthsLessOne),
                             absl::StrCat("(", tokens.batch, ")"));
  }
  if (ctx.HasInput(kPastKey)) tokens.capacity = ctx.Input(kPastKey).dim(2);
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> valid,
                      ReadQueryLengths(ctx, options, tokens.batch, fresh));
  if (tokens.max_total < tokens.queries && (valid.empty() || !options.window_cache)) {
    return absl::InvalidArgumentError(absl::StrCat("total_sequence_length ", tokens.max_total,
                                                   " is less than the ", tokens.queries,
                                                   " new tokens"));
  }
  tokens.prompt = valid.empty() && tokens.max_total == tokens.queries;
  const int64_t room = std::max(tokens.max_total, tokens.capacity);
  for (size_t b = 0; b < lengths.size(); ++b) {
    const int64_t length = lengths[b];
    const int64_t total = length + 1;
    const int64_t own = valid.empty() ? tokens.queries : valid[b];
    const int64_t past = tokens.prompt ? 0 : total - own;
    if (!valid.empty() && (own < 0 || own > tokens.queries ||
                           (!options.window_cache && past > room - tokens.queries))) {
      return absl::InvalidArgumentError(absl::StrCat("query_seqlens ", own, " of ", tokens.queries,
                                                     " new tokens does not go ", "with seqlens_k ",
                                                     length, " and a cache of ", room, " rows"));
    }
    const int64_t before = fresh == 0 ? total : past;
    int64_t resident = before;
    if (options.window_cache) resident = ResidentRows(before, tokens.capacity, options.window);
    if (total < 1 || total > tokens.max_total || past < 0 || resident > tokens.capacity) {
      return absl::InvalidArgumentError(absl::StrCat(
          "seqlens_k ", length, " does not go with ", tokens.queries, " new tokens, a past of ",
          tokens.capacity, " and total_sequence_length ", tokens.max_total));
    }
    tokens.past.push_back(past);
    tokens.total.push_back(total);
    tokens.base.push_back(before - resident);
    tokens.kept.push_back({0, resident});
    tokens.rows = std::max(tokens.rows, resident + fresh);
  }
  if (!options.window_cache) tokens.rows = std::max(tokens.max_total, tokens.capacity);
  return tokens;
}

// The position of every new token. position_ids says where a prompt begins and, with a past, where
// every token is.
absl::StatusOr<std::vector<int64_t>> Positions(const KernelContext& ctx, const Tokens& tokens) {
  std::vector<int64_t> positions;
  std::vector<int64_t> given;
  if (ctx.HasInput(kPositions)) {
    const Tensor& ids = ctx.Input(kPositions);
    if (ids.shape() != Shape{tokens.batch, tokens.queries}) {
      return BadAttentionShape("position_ids", ids,
                               absl::StrCat("(", tokens.batch, ", ", tokens.queries, ")"));
    }
    OC_ASSIGN_OR_RETURN(given, ctx.IntsInput(kPositions));
    if (!tokens.prompt || given.empty()) return given;
  }
  const int64_t first = given.empty() ? 0 : given[0];
  if (first > INT32_MAX || first < 0) {
    return absl::InvalidArgumentError(absl::StrCat("position ", first, " is out of range"));
  }
  for (int64_t past : tokens.past) {
    for (int64_t s = 0; s < tokens.queries; ++s) positions.push_back(first + past + s);
  }
  return positions;
}

absl::Status NormalizeAndRotate(const KernelContext& ctx, const Options& options,
                                const Tokens& tokens, DecoderHeads* heads) {
  if (ctx.HasInput(kQueryNorm) != ctx.HasInput(kKeyNorm)) {
    return absl::InvalidArgumentError("q_norm_weight and k_norm_weight come together or not");
  }
  if (ctx.HasInput(kQueryNorm)) {
    OC_ASSIGN_OR_RETURN(
        heads->q, NormalizedHeads(ctx, heads->q, ctx.Input(kQueryNorm), options.query_epsilon));
    OC_ASSIGN_OR_RETURN(heads->k,
                        NormalizedHeads(ctx, heads->k, ctx.Input(kKeyNorm), options.key_epsilon));
  }
  if (!options.rotates) {  // these are checked by whoever makes them, for a later use
    for (int input : {kCosines, kSines, kPositions}) ctx.IgnoreInput(input);
    return absl::OkStatus();
  }
  if (!ctx.HasInput(kCosines) || !ctx.HasInput(kSines)) {
    return absl::InvalidArgumentError("do_rotary needs cos_cache and sin_cache");
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> positions, Positions(ctx, tokens));
  for (Tensor* x : {&heads->q, &heads->k}) {
    if (x->dim(2) == 0) continue;
    OC_ASSIGN_OR_RETURN(*x, RotatedHeads(ctx, *x, positions, ctx.Input(kCosines), ctx.Input(kSines),
                                         options.interleaved));
  }
  return absl::OkStatus();
}

// The keys or values at hand, as they are cached: what is kept of the past, then `fresh`.
absl::StatusOr<Tensor> Extend(const KernelContext& ctx, int past_input, const CacheFormat& format,
                              const Tokens& tokens, const Tensor& fresh) {
  OC_ASSIGN_OR_RETURN(const Tensor stored, ToCache(ctx, fresh, format));
  if (!ctx.HasInput(past_input)) {
    return ExtendedCache(ctx, nullptr, tokens.kept, stored, tokens.rows);
  }
  const Tensor& past = ctx.Input(past_input);
  const Shape expected = {tokens.batch, stored.dim(1), tokens.capacity, stored.dim(3)};
  if (past.shape() != expected) {
    return BadAttentionShape(past_input == kPastKey ? "past_key" : "past_value", past,
                             ShapeToString(expected));
  }
  return ExtendedCache(ctx, &past, tokens.kept, stored, tokens.rows);
}

// The rows of a window-sized cache that stay: the latest ones, from row 0 on.
absl::StatusOr<Tensor> Evict(const KernelContext& ctx, const Options& options, const Tokens& tokens,
                             const Tensor& keys) {
  std::vector<CacheRows> kept;
  for (size_t b = 0; b < tokens.total.size(); ++b) {
    const int64_t stay = ResidentRows(tokens.total[b], tokens.capacity, options.window);
    kept.push_back({tokens.total[b] - tokens.base[b] - stay, stay});
  }
  const Tensor none = keys.Strided({keys.dim(0), keys.dim(1), 0, keys.dim(3)}, keys.strides(), 0);
  return ExtendedCache(ctx, &keys, kept, none, tokens.capacity);
}

template <typename C>
absl::StatusOr<AttentionScores<C>> Scores(const KernelContext& ctx, const Options& options,
                                          const Tokens& tokens, const AttentionShape& shape) {
  AttentionScores<C> scores;
  scores.shape = shape;
  scores.scale = AttentionScale<C>(options.scale, shape.head_size);
  scores.softcap = static_cast<C>(options.softcap);
  // The bias and the shown scores have a column for every token, at hand or not.
  AttentionShape all = shape;
  all.keys = tokens.max_total;
  OC_ASSIGN_OR_RETURN(scores.bias, LoadAttentionBias<C>(ctx, kAttentionBias, all));
  scores.columns = tokens.base;
  scores.visible = [&tokens, &options](int64_t batch, int64_t query) -> KeyRange {
    const auto b = static_cast<size_t>(batch);
    const int64_t position = tokens.past[b] + query;
    int64_t begin = 0;
    int64_t end = tokens.total[b];
    if (options.causal) end = std::min(end, position + 1);
    if (options.window > 0) begin = std::max<int64_t>(0, position - options.window + 1);
    return {begin - tokens.base[b], end - tokens.base[b]};
  };
  OC_ASSIGN_OR_RETURN(scores.sinks,
                      LoadSinks<C>(ctx, kHeadSink, shape.heads, options.smooth_softmax));
  return scores;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(kQuery).dtype();
  OC_ASSIGN_OR_RETURN(DecoderHeads heads,
                      SplitIntoHeads(ctx, options.heads, /*may_be_empty=*/true));
  for (int input : {kPastKey, kPastValue}) {
    if (ctx.HasInput(input) != ctx.HasInput(kPastKey)) {
      return absl::InvalidArgumentError("past_key and past_value come together or not");
    }
    if (ctx.HasInput(input) && ctx.Input(input).rank() != 4) {
      return BadAttentionShape("the past", ctx.Input(input), "4 dimensions");
    }
  }
  if (options.window_cache && (!ctx.HasInput(kPastKey) || options.window < 1 ||
                               ctx.Input(kPastKey).dim(2) < options.window)) {
    return absl::InvalidArgumentError(
        "sliding_window_cache needs caches of at least local_window_size rows");
  }
  OC_ASSIGN_OR_RETURN(const Tokens tokens, LayOutTokens(ctx, options, heads.k.dim(2)));
  const int64_t head_size = heads.q.dim(3);
  DType cache_dtype = dtype;
  if (ctx.HasInput(kPastKey)) {
    cache_dtype = ctx.Input(kPastKey).dtype();
  } else if (options.key_quantization != "NONE") {
    cache_dtype = options.bit_width == 4 ? DType::kUint8 : DType::kInt8;
  }
  OC_ASSIGN_OR_RETURN(const CacheFormat key_format,
                      CacheFormatOf(ctx, "k", options.key_quantization, cache_dtype,
                                    options.bit_width, kKeyScale, options.heads.kv, head_size));
  OC_ASSIGN_OR_RETURN(const CacheFormat value_format,
                      CacheFormatOf(ctx, "v", options.value_quantization, cache_dtype,
                                    options.bit_width, kValueScale, options.heads.kv, head_size));
  OC_RETURN_IF_ERROR(NormalizeAndRotate(ctx, options, tokens, &heads));
  OC_ASSIGN_OR_RETURN(Tensor keys, Extend(ctx, kPastKey, key_format, tokens, heads.k));
  OC_ASSIGN_OR_RETURN(Tensor values, Extend(ctx, kPastValue, value_format, tokens, heads.v));
  OC_ASSIGN_OR_RETURN(const Tensor k, FromCache<C>(ctx, keys, key_format));
  OC_ASSIGN_OR_RETURN(const Tensor v, FromCache<C>(ctx, values, value_format));

  OC_ASSIGN_OR_RETURN(AttentionShape shape, ShapeOfAttention(heads.q, k, v));
  std::vector<int64_t> ends, causal_ends;
  for (size_t b = 0; b < tokens.total.size(); ++b) {
    ends.push_back(tokens.total[b] - tokens.base[b]);
    causal_ends.push_back(tokens.past[b] - tokens.base[b] + 1);
  }
  OC_ASSIGN_OR_RETURN(AttentionScores<C> scores, Scores<C>(ctx, options, tokens, shape));
  shape.batch_keys = ends;
  if (options.causal) shape.causal_keys = causal_ends;
  Tensor shown;
  if (ctx.HasOutput(kScores)) {
    OC_ASSIGN_OR_RETURN(
        shown, ctx.Allocate(dtype, {shape.batch, shape.heads, shape.queries, tokens.max_total}));
    FillWithZeros(&shown);
    scores.shown = {shown.mutable_raw_data(), dtype, tokens.max_total, options.shown == 2};
  }
  OC_ASSIGN_OR_RETURN(Tensor out, AttendTensors<C>(ctx, shape, heads.q, k, v, true, scores));
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(kOutput, std::move(out)));
  if (options.window_cache) {
    OC_ASSIGN_OR_RETURN(keys, Evict(ctx, options, tokens, keys));
    OC_ASSIGN_OR_RETURN(values, Evict(ctx, options, tokens, values));
  }
  OC_RETURN_IF_ERROR(ctx.SetOutput(kPresentKey, std::move(keys)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(kPresentValue, std::move(values)));
  return ctx.HasOutput(kScores) ? ctx.SetOutput(kScores, std::move(shown)) : absl::OkStatus();
}

// GroupQueryAttention (com.microsoft 1): neighbouring heads of Q share a head of K and V.
//   K, V = cache(past_key, K), cache(past_value, V): present_key, present_value
//   Y = softmax(cap(scale * Q K^T) + attention_bias) V,  cap(x) = softcap * tanh(x / softcap)
// over the keys of the entry's seqlens_k + 1 tokens, up to the query's own (causal) and among the
// latest local_window_size. Without a key in `key`, `query` holds Q, K and V side by side. Q and K
// are normalized (q_norm_weight, k_norm_weight) and then rotated (do_rotary). head_sink adds
// exp(sink) to the denominator of the softmax; smooth_softmax is a sink of 0, where there is no
// head_sink. If total_sequence_length is the number of new tokens, they are a prompt and the past
// is ignored. The new rows go to the cache after the entry's past; rows of the present after all
// of an entry's tokens are 0. A cache may be quantized; then attention reads what the cache holds,
// of new tokens too. With sliding_window_cache the present keeps the latest rows alone.
// Keys and values of no tokens leave the past as it is: it holds those of all tokens. output_qk is
// 0 where a query sees no key. With query_seqlens the rest of an entry's new tokens is padding: the
// past is what seqlens_k leaves of it, whatever total_sequence_length is. Padding at the end of a
// prompt attends to all of the entry's tokens before it.
absl::StatusOr<Kernel> GroupQueryAttention(const KernelInit& node) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.heads, ReadHeadCounts(node));
  options.scale = node.Float("scale", 0);
  options.softcap = node.Float("softcap", 0);
  options.causal = node.Flag("causal");
  options.window = node.Int("local_window_size");
  options.window_cache = node.Flag("sliding_window_cache");
  options.smooth_softmax = node.Int("smooth_softmax") > 0;
  options.shown = node.Int("qk_output");
  options.rotates = node.Int("do_rotary", 0) != 0;
  options.interleaved = node.Int("rotary_interleaved", 0) != 0;
  const float epsilon = node.Float("qk_norm_epsilon");
  options.query_epsilon = node.Float("q_norm_epsilon", epsilon);
  options.key_epsilon = node.Float("k_norm_epsilon", epsilon);
  options.key_quantization = node.String("k_quant_type");
  options.value_quantization = node.String("v_quant_type");
  options.bit_width = node.Int("kv_cache_bit_width", 0);
  for (const char* name : {"k_quant_type", "v_quant_type"}) {
    OC_RETURN_IF_ERROR(CheckQuantizationKind(name, node.String(name)));
  }
  if (options.window == 0 || options.window < -1 || (!options.causal && options.window != -1)) {
    return absl::InvalidArgumentError(absl::StrCat("local_window_size ", options.window,
                                                   " with causal ", options.causal ? 1 : 0));
  }
  if (options.shown < 0 || options.shown > 2 || (options.shown == 0) == node.HasOutput(kScores)) {
    return absl::InvalidArgumentError(absl::StrCat("qk_output ", options.shown, " with",
                                                   node.HasOutput(kScores) ? "" : "out",
                                                   " an output output_qk"));
  }
  return FloatKernel(kQuery,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribGroupQueryAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GroupQueryAttention", {1}, GroupQueryAttention);
}

}  // namespace onnxcmp

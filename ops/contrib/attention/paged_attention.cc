#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/attention/attention_cache.h"
#include "ops/contrib/attention/attention_scores.h"
#include "ops/contrib/attention/grouped_heads.h"
#include "ops/contrib/packed_sequences.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kQuery,
  kKey,
  kValue,
  kKeyCache,
  kValueCache,
  kBounds,
  kPastLengths,
  kBlockTable,
  kCosines,
  kSines,
  kSlots,
  kHeadSink,
  kQueryNorm,
  kKeyNorm,
  kKeyScale,
  kValueScale,
  kMetadata
};

struct Options {
  HeadCounts heads;
  float scale = 0;  // 0: 1 / sqrt(head size)
  float softcap = 0;
  int64_t window = -1;
  bool causal = true;
  bool rotates = false;
  bool interleaved = false;
  int64_t rotary_offset = 0;
  float epsilon = 1e-6f;
  std::string key_quantization, value_quantization;
  bool latent = false;
  int64_t value_size = 0;  // 0: the head size
};

// Where the tokens are. Caches count rows, `block` to a block.
struct Tokens {
  std::vector<int64_t> bounds;             // where each sequence begins among the new tokens
  std::vector<int64_t> past;               // tokens of each sequence before the new ones
  std::vector<int64_t> positions;          // of each new token in its sequence
  std::vector<int64_t> slots;              // the row of each new token; -1: it is not stored
  std::vector<std::vector<int64_t>> rows;  // of all tokens of each sequence
};

absl::StatusOr<Tokens> LayOutTokens(const KernelContext& ctx) {
  const Tensor& cache = ctx.Input(kKeyCache);
  const Tensor& table = ctx.Input(kBlockTable);
  Tokens tokens;
  const int64_t count = ctx.Input(kQuery).dim(0);
  OC_ASSIGN_OR_RETURN(tokens.bounds, SequenceOffsets(ctx, kBounds, count, /*some_tokens=*/false));
  OC_ASSIGN_OR_RETURN(tokens.past, ctx.IntsInput(kPastLengths));
  const auto batch = static_cast<int64_t>(tokens.bounds.size()) - 1;
  if (ctx.Input(kPastLengths).shape() != Shape{batch} || table.rank() != 2 ||
      table.dim(0) != batch || cache.dim(1) < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("past_seqlens [", ShapeToString(ctx.Input(kPastLengths).shape()),
                     "] and block_table [", ShapeToString(table.shape()), "] are not those of ",
                     batch, " sequences in blocks of ", cache.dim(1)));
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> blocks, ctx.IntsInput(kBlockTable));
  for (int64_t b = 0; b < batch; ++b) {
    const auto i = static_cast<size_t>(b);
    const int64_t total = tokens.past[i] + tokens.bounds[i + 1] - tokens.bounds[i];
    if (tokens.past[i] < 0 || (total + cache.dim(1) - 1) / cache.dim(1) > table.dim(1)) {
      return absl::InvalidArgumentError(absl::StrCat("a sequence of ", total, " tokens, ",
                                                     tokens.past[i], " of them past, in ",
                                                     table.dim(1), " blocks of ", cache.dim(1)));
    }
    std::vector<int64_t> rows;
    for (int64_t position = 0; position < total; ++position) {
      const int64_t block = blocks[static_cast<size_t>(b * table.dim(1) + position / cache.dim(1))];
      if (block < 0 || block >= cache.dim(0)) {
        return absl::InvalidArgumentError(
            absl::StrCat("block_table names block ", block, " of ", cache.dim(0)));
      }
      rows.push_back(block * cache.dim(1) + position % cache.dim(1));
      if (position < tokens.past[i]) continue;
      tokens.positions.push_back(position);
      tokens.slots.push_back(rows.back());
    }
    tokens.rows.push_back(std::move(rows));
  }
  if (ctx.HasInput(kSlots)) {
    OC_ASSIGN_OR_RETURN(tokens.slots, ctx.IntsInput(kSlots));
    if (ctx.Input(kSlots).shape() != Shape{count}) {
      return BadAttentionShape("slot_mapping", ctx.Input(kSlots), absl::StrCat("(", count, ")"));
    }
    for (int64_t slot : tokens.slots) {
      if (slot < -1 || slot >= cache.dim(0) * cache.dim(1)) {
        return absl::InvalidArgumentError(
            absl::StrCat("slot ", slot, " is outside of ", cache.dim(0) * cache.dim(1), " rows"));
      }
    }
  }
  return tokens;
}

// Q, K and V of all tokens as (1, heads, tokens, head size), normalized and rotated.
absl::StatusOr<DecoderHeads> LoadHeads(const KernelContext& ctx, const Options& options,
                                       const Tokens& tokens) {
  Tensor rows[3];
  for (int i : {kQuery, kKey, kValue}) {
    if (!ctx.HasInput(i)) continue;
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(i));
    if (x.rank() != 2) return BadAttentionShape("query, key or value", x, "(tokens, hidden)");
    rows[i] = x.Reshaped({1, x.dim(0), x.dim(1)});
  }
  // The values of a latent cache are a part of its keys.
  const Tensor* key = rows[kKey].defined() ? &rows[kKey] : nullptr;
  const Tensor* value = rows[kValue].defined() ? &rows[kValue] : nullptr;
  if (options.latent) value = key;
  OC_ASSIGN_OR_RETURN(DecoderHeads heads, SplitIntoHeads(rows[kQuery], key, value, options.heads));
  if (ctx.HasInput(kQueryNorm) != ctx.HasInput(kKeyNorm)) {
    return absl::InvalidArgumentError("q_norm_weight and k_norm_weight come together or not");
  }
  if (ctx.HasInput(kQueryNorm)) {
    OC_ASSIGN_OR_RETURN(heads.q,
                        NormalizedHeads(ctx, heads.q, ctx.Input(kQueryNorm), options.epsilon));
    OC_ASSIGN_OR_RETURN(heads.k,
                        NormalizedHeads(ctx, heads.k, ctx.Input(kKeyNorm), options.epsilon));
  }
  if (!options.rotates) {
    for (int input : {kCosines, kSines}) ctx.IgnoreInput(input);
    return heads;
  }
  if (!ctx.HasInput(kCosines) || !ctx.HasInput(kSines)) {
    return absl::InvalidArgumentError("do_rotary needs cos_cache and sin_cache");
  }
  for (Tensor* x : {&heads.q, &heads.k}) {
    OC_ASSIGN_OR_RETURN(
        *x, RotatedHeads(ctx, *x, tokens.positions, ctx.Input(kCosines), ctx.Input(kSines),
                         options.interleaved, options.rotary_offset));
  }
  return heads;
}

// The cache (blocks, block size, heads, head size) with the new tokens at their slots.
absl::StatusOr<Tensor> Store(const KernelContext& ctx, int cache_input, const CacheFormat& format,
                             const Tokens& tokens, const Tensor& fresh) {
  OC_ASSIGN_OR_RETURN(const Tensor cache, ctx.ContiguousInput(cache_input));
  const Shape expected = {cache.dim(0), cache.dim(1), fresh.dim(1), fresh.dim(3)};
  if (cache.shape() != expected) {
    return BadAttentionShape(cache_input == kKeyCache ? "key_cache" : "value_cache", cache,
                             ShapeToString(expected));
  }
  OC_ASSIGN_OR_RETURN(const Tensor stored, ToCache(ctx, fresh, format));
  const Tensor by_token = stored.Strided(
      {stored.dim(2), stored.dim(1), stored.dim(3)},
      {stored.strides()[2], stored.strides()[1], stored.strides()[3]}, stored.offset());
  OC_ASSIGN_OR_RETURN(const Tensor rows, ctx.Contiguous(by_token));
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(cache.dtype(), cache.shape()));
  CopyIntoBlock(cache, result.strides(), 0, ctx.pool(), &result);
  const int64_t row = fresh.dim(1) * fresh.dim(3);
  const Shape row_strides = {row, fresh.dim(3), 1};
  for (size_t i = 0; i < tokens.slots.size(); ++i) {
    if (tokens.slots[i] < 0) continue;
    CopyIntoBlock(Narrowed(rows, 0, static_cast<int64_t>(i), 1), row_strides, tokens.slots[i] * row,
                  ctx.pool(), &result);
  }
  return result;
}

// Rows of a cache as (1, heads, rows, head size).
template <typename C>
absl::StatusOr<Tensor> Gather(const KernelContext& ctx, const Tensor& cache,
                              const CacheFormat& format, const std::vector<int64_t>& numbers) {
  const int64_t heads = cache.dim(2);
  const int64_t size = cache.dim(3);
  const auto count = static_cast<int64_t>(numbers.size());
  OC_ASSIGN_OR_RETURN(Tensor rows, ctx.Allocate(cache.dtype(), {1, count, heads, size}));
  std::vector<int64_t> begins;
  for (int64_t number : numbers) begins.push_back(number * heads * size);
  GatherBlocks(cache, 1, 0, begins, heads * size, ctx.pool(), &rows);
  const Tensor by_head =
      rows.Strided({1, heads, count, size}, {rows.num_elements(), size, heads * size, 1}, 0);
  return FromCache<C>(ctx, by_head, format);
}

template <typename C>
absl::StatusOr<Tensor> AttendSequence(const KernelContext& ctx, const Options& options,
                                      const Tensor& q, const Tensor& k, const Tensor& v,
                                      int64_t past, const std::vector<C>& sinks) {
  AttentionScores<C> scores;
  OC_ASSIGN_OR_RETURN(AttentionShape shape, ShapeOfAttention(q, k, v));
  scores.shape = shape;
  scores.scale = AttentionScale<C>(options.scale, shape.head_size);
  scores.softcap = static_cast<C>(options.softcap);
  scores.sinks = sinks;
  scores.visible = [&](int64_t, int64_t query) -> KeyRange {
    const int64_t position = past + query;
    return {options.window > 0 ? position - options.window + 1 : 0,
            options.causal ? position + 1 : shape.keys};
  };
  const std::vector<int64_t> causal_ends = {past + 1};
  if (options.causal) shape.causal_keys = causal_ends;
  return AttendTensors<C>(ctx, shape, q, k, v, true, scores);
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  ctx.IgnoreInput(kMetadata);  // bounds for the launch of GPU kernels
  if (ctx.Input(kQuery).rank() != 2) {
    return BadAttentionShape("query", ctx.Input(kQuery), "(tokens, hidden)");
  }
  const bool has_values = ctx.HasInput(kValueCache);
  if (options.latent == has_values || (options.latent && ctx.HasInput(kValue))) {
    return absl::InvalidArgumentError(
        "value and value_cache are there if and only if kv_cache_layout is SEPARATE");
  }
  for (int input : {kKeyCache, kValueCache}) {
    if (ctx.HasInput(input) &&
        (ctx.Input(input).rank() != 4 || ctx.Input(input).dim(0) != ctx.Input(kKeyCache).dim(0) ||
         ctx.Input(input).dim(1) != ctx.Input(kKeyCache).dim(1))) {
      return BadAttentionShape("a cache", ctx.Input(input), "(blocks, block size, heads, size)");
    }
  }
  OC_ASSIGN_OR_RETURN(const Tokens tokens, LayOutTokens(ctx));
  OC_ASSIGN_OR_RETURN(const DecoderHeads heads, LoadHeads(ctx, options, tokens));
  const int64_t head_size = heads.q.dim(3);
  OC_ASSIGN_OR_RETURN(
      const CacheFormat key_format,
      CacheFormatOf(ctx, "k", options.key_quantization, ctx.Input(kKeyCache).dtype(), 0, kKeyScale,
                    options.heads.kv, head_size));
  OC_ASSIGN_OR_RETURN(const Tensor keys, Store(ctx, kKeyCache, key_format, tokens, heads.k));
  CacheFormat value_format = key_format;
  Tensor values = keys;
  if (has_values) {
    OC_ASSIGN_OR_RETURN(value_format, CacheFormatOf(ctx, "v", options.value_quantization,
                                                    ctx.Input(kValueCache).dtype(), 0, kValueScale,
                                                    options.heads.kv, head_size));
    OC_ASSIGN_OR_RETURN(values, Store(ctx, kValueCache, value_format, tokens, heads.v));
  }
  const int64_t value_size = options.value_size == 0 ? head_size : options.value_size;
  if (value_size > head_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("v_head_size ", value_size, " is more than the head size ", head_size));
  }
  OC_ASSIGN_OR_RETURN(const std::vector<C> sinks,
                      LoadSinks<C>(ctx, kHeadSink, options.heads.q, /*smooth=*/false));
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<C>, {ctx.Input(kQuery).dim(0),
                                                             options.heads.q * value_size}));
  C* rows = out.mutable_data<C>();
  for (size_t b = 0; b < tokens.rows.size(); ++b) {
    const int64_t first = tokens.bounds[b];
    const int64_t length = tokens.bounds[b + 1] - first;
    if (length == 0) continue;
    OC_ASSIGN_OR_RETURN(const Tensor k, Gather<C>(ctx, keys, key_format, tokens.rows[b]));
    OC_ASSIGN_OR_RETURN(const Tensor v, Gather<C>(ctx, values, value_format, tokens.rows[b]));
    OC_ASSIGN_OR_RETURN(const Tensor part,
                        AttendSequence<C>(ctx, options, Narrowed(heads.q, 2, first, length), k,
                                          Narrowed(v, 3, 0, value_size), tokens.past[b], sinks));
    rows = std::copy_n(part.data<C>(), part.num_elements(), rows);
  }
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, ctx.Input(kQuery).dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(out)));
  if (ctx.HasOutput(1)) OC_RETURN_IF_ERROR(ctx.SetOutput(1, keys));
  return ctx.HasOutput(2) && has_values ? ctx.SetOutput(2, values) : absl::OkStatus();
}

absl::StatusOr<Options> ReadOptions(const KernelInit& node) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.heads, ReadHeadCounts(node));
  options.scale = node.Float("scale", 0);
  options.softcap = node.Float("softcap", 0);
  options.window = node.Int("local_window_size");
  options.causal = node.Flag("is_causal");
  options.rotates = node.Int("do_rotary", 0) != 0;
  options.interleaved = node.Int("rotary_interleaved", 0) != 0;
  options.rotary_offset = node.Int("rotary_offset", 0);
  options.epsilon = node.Float("qk_norm_epsilon", 1e-6f);
  options.key_quantization = node.String("k_quant_type");
  options.value_quantization = node.String("v_quant_type");
  options.value_size = node.Int("v_head_size", 0);
  const std::string layout = node.String("kv_cache_layout");
  options.latent = layout == "LATENT";
  if (!options.latent && layout != "SEPARATE") {
    return absl::InvalidArgumentError(
        absl::StrCat("kv_cache_layout \"", layout, "\" is neither SEPARATE nor LATENT"));
  }
  if (options.latent ? options.heads.kv != 1 || options.value_size < 0 : options.value_size != 0) {
    return absl::InvalidArgumentError(absl::StrCat("kv_num_heads ", options.heads.kv,
                                                   " and v_head_size ", options.value_size,
                                                   " with kv_cache_layout ", layout));
  }
  for (const char* name : {"k_quant_type", "v_quant_type"}) {
    OC_RETURN_IF_ERROR(CheckQuantizationKind(name, node.String(name)));
  }
  for (const char* name : {"k_cache_dtype", "v_cache_dtype"}) {
    const std::string dtype = node.String(name);
    if (dtype == "int4" || dtype == "float4e2m1") {
      return absl::UnimplementedError(absl::StrCat(name, " ", dtype, " of PagedAttention"));
    }
    if (dtype != "" && dtype != "float16" && dtype != "bfloat16" && dtype != "int8" &&
        dtype != "float8e4m3fn") {
      return absl::InvalidArgumentError(absl::StrCat(name, " \"", dtype, "\" is no element type"));
    }
  }
  if (options.window == 0 || options.window < -1) {
    return absl::InvalidArgumentError(absl::StrCat("local_window_size ", options.window));
  }
  return options;
}

// PagedAttention (com.microsoft 1): GroupQueryAttention of sequences that lie in a row
// without padding, bounded by cumulative_sequence_length, over caches in blocks: row p of sequence
// b is row p % size of block block_table[b, p / size]. The new rows are written there, or at
// slot_mapping (not at all where it is -1), before the caches are read. With kv_cache_layout LATENT
// the values are the first v_head_size elements of the keys. Rotation leaves the first
// rotary_offset elements of a head as they are. Not supported: caches of 4-bit numbers.
absl::StatusOr<Kernel> PagedAttention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Options options, ReadOptions(node));
  return FloatKernel(kQuery,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribPagedAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "PagedAttention", {1}, PagedAttention);
}

}  // namespace onnxcmp

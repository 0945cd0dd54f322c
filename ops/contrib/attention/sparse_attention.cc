#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
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
  kBlockRows,
  kBlockColumns,
  kTotalLength,
  kLengths,
  kCosines,
  kSines
};

struct Options {
  HeadCounts heads;
  float scale = 0;  // 0: 1 / sqrt(head size)
  int64_t block = 0;
  bool rotates = false;
  bool interleaved = false;
};

// Blocks of keys that a block of queries sees, for each of several layouts, in CSR form.
struct Layouts {
  std::vector<int64_t> rows, columns;
  int64_t count = 0;   // of layouts
  int64_t blocks = 0;  // rows of each layout
  int64_t width = 0;   // columns kept of each layout

  // True if queries of block `q` see keys of block `k`.
  bool Shows(int64_t layout, int64_t q, int64_t k) const {
    const int64_t* row = rows.data() + layout * (blocks + 1) + q;
    const int64_t* first = columns.data() + layout * width;
    return std::find(first + row[0], first + row[1], k) != first + row[1];
  }
};

absl::StatusOr<Layouts> LoadLayouts(const KernelContext& ctx, int64_t heads) {
  const Tensor& rows = ctx.Input(kBlockRows);
  const Tensor& columns = ctx.Input(kBlockColumns);
  if (rows.rank() != 2 || columns.rank() != 2 || rows.dim(0) != columns.dim(0) || rows.dim(0) < 1 ||
      heads % rows.dim(0) != 0 || rows.dim(1) < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "block_row_indices [", ShapeToString(rows.shape()), "] and block_col_indices [",
        ShapeToString(columns.shape()), "] are no layouts for ", heads, " heads"));
  }
  Layouts layouts;
  layouts.count = rows.dim(0);
  layouts.blocks = rows.dim(1) - 1;
  layouts.width = columns.dim(1);
  OC_ASSIGN_OR_RETURN(layouts.rows, ctx.IntsInput(kBlockRows));
  OC_ASSIGN_OR_RETURN(layouts.columns, ctx.IntsInput(kBlockColumns));
  for (size_t i = 0; i < layouts.rows.size(); ++i) {
    const int64_t row = layouts.rows[i];
    const bool first = i % static_cast<size_t>(layouts.blocks + 1) == 0;
    if (row < (first ? 0 : layouts.rows[i - 1]) || row > layouts.width) {
      return absl::InvalidArgumentError(
          absl::StrCat("block_row_indices are not ascending from 0 to at most ", layouts.width));
    }
  }
  return layouts;
}

// Tokens before the new ones, and in all, of every batch entry.
struct Lengths {
  std::vector<int64_t> past, total;
};

absl::StatusOr<Lengths> LoadLengths(const KernelContext& ctx, const Options& options,
                                    const Layouts& layouts) {
  OC_ASSIGN_OR_RETURN(const int64_t max_total, ctx.ScalarInput<int64_t>(kTotalLength));
  const int64_t batch = ctx.Input(kQuery).dim(0);
  const int64_t queries = ctx.Input(kQuery).dim(1);
  const int64_t rows = ctx.Input(kPastKey).dim(2);
  Lengths lengths;
  OC_ASSIGN_OR_RETURN(lengths.total, ctx.IntsInput(kLengths));
  if (ctx.Input(kLengths).shape() != Shape{batch}) {
    return BadAttentionShape("key_total_sequence_lengths", ctx.Input(kLengths),
                             absl::StrCat("(", batch, ")"));
  }
  if (max_total < queries || max_total > rows ||
      (max_total + options.block - 1) / options.block > layouts.blocks) {
    return absl::InvalidArgumentError(absl::StrCat("total_sequence_length ", max_total,
                                                   " does not go with ", queries,
                                                   " new tokens, a cache of ", rows, " rows and ",
                                                   layouts.blocks, " blocks of ", options.block));
  }
  for (int64_t total : lengths.total) {
    // A prompt may be padded after its tokens.
    const int64_t past = max_total == queries ? 0 : total - queries;
    if (total < 1 || total > max_total || past < 0) {
      return absl::InvalidArgumentError(absl::StrCat("a total length of ", total, " with ", queries,
                                                     " new tokens and at most ", max_total,
                                                     " in all"));
    }
    lengths.past.push_back(past);
  }
  return lengths;
}

absl::Status RotateSparseHeads(const KernelContext& ctx, const Options& options,
                               const Lengths& lengths, DecoderHeads* heads) {
  if (!options.rotates) {
    for (int input : {kCosines, kSines}) ctx.IgnoreInput(input);
    return absl::OkStatus();
  }
  if (!ctx.HasInput(kCosines) || !ctx.HasInput(kSines)) {
    return absl::InvalidArgumentError("do_rotary needs cos_cache and sin_cache");
  }
  std::vector<int64_t> positions;
  for (int64_t past : lengths.past) {
    for (int64_t s = 0; s < heads->q.dim(2); ++s) positions.push_back(past + s);
  }
  for (Tensor* x : {&heads->q, &heads->k}) {
    OC_ASSIGN_OR_RETURN(*x, RotatedHeads(ctx, *x, positions, ctx.Input(kCosines), ctx.Input(kSines),
                                         options.interleaved));
  }
  return absl::OkStatus();
}

// The cache with the new rows after each entry's past; its other rows stay.
absl::StatusOr<Tensor> Extend(const KernelContext& ctx, int past_input, const Lengths& lengths,
                              const Tensor& fresh) {
  const Tensor& past = ctx.Input(past_input);
  if (past.dim(0) != fresh.dim(0) || past.dim(1) != fresh.dim(1) || past.dim(3) != fresh.dim(3) ||
      past.dim(2) != ctx.Input(kPastKey).dim(2)) {
    return BadAttentionShape(
        past_input == kPastKey ? "past_key" : "past_value", past,
        absl::StrCat("(", fresh.dim(0), ", ", fresh.dim(1), ", rows, ", fresh.dim(3), ")"));
  }
  return ReplacedRows(ctx, past, fresh, lengths.past);
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(kQuery).dtype();
  OC_ASSIGN_OR_RETURN(DecoderHeads heads, SplitIntoHeads(ctx, options.heads));
  for (int input : {kPastKey, kPastValue}) {
    if (ctx.Input(input).rank() != 4) {
      return BadAttentionShape("the past", ctx.Input(input), "4 dimensions");
    }
  }
  OC_ASSIGN_OR_RETURN(const Layouts layouts, LoadLayouts(ctx, options.heads.q));
  OC_ASSIGN_OR_RETURN(const Lengths lengths, LoadLengths(ctx, options, layouts));
  OC_RETURN_IF_ERROR(RotateSparseHeads(ctx, options, lengths, &heads));
  OC_ASSIGN_OR_RETURN(Tensor keys, Extend(ctx, kPastKey, lengths, heads.k));
  OC_ASSIGN_OR_RETURN(Tensor values, Extend(ctx, kPastValue, lengths, heads.v));
  OC_ASSIGN_OR_RETURN(AttentionShape shape, ShapeOfAttention(heads.q, keys, values));

  AttentionScores<C> scores;
  scores.shape = shape;
  scores.scale = AttentionScale<C>(options.scale, shape.head_size);
  scores.visible = [&lengths](int64_t batch, int64_t query) -> KeyRange {
    const auto b = static_cast<size_t>(batch);
    return {0, std::min(lengths.total[b], lengths.past[b] + query + 1)};
  };
  scores.exclude = [&](int64_t batch, int64_t head, int64_t query, KeyRange range, C* row) {
    const int64_t position = lengths.past[static_cast<size_t>(batch)] + query;
    for (int64_t first = range.begin; first < range.end; first += options.block) {
      if (!layouts.Shows(head % layouts.count, position / options.block, first / options.block)) {
        std::fill(row + first, row + std::min(first + options.block, range.end),
                  -std::numeric_limits<C>::infinity());
      }
    }
  };
  std::vector<int64_t> causal_ends;
  for (int64_t past : lengths.past) causal_ends.push_back(past + 1);
  shape.batch_keys = lengths.total;
  shape.causal_keys = causal_ends;
  OC_ASSIGN_OR_RETURN(Tensor out,
                      AttendTensors<C>(ctx, shape, heads.q, keys, values, true, scores));
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(out)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(keys)));
  return ctx.SetOutput(2, std::move(values));
}

// SparseAttention (com.microsoft 1): attention of grouped heads over blocks of keys. Query i of
// head h sees key j <= i if layout h % (number of layouts) lists block j / sparse_block_size in row
// i / sparse_block_size, i and j being counted from the sequence's begin. The past is a buffer in
// which the new rows take their places, after the entry's past: none if total_sequence_length is
// the number of new tokens (a prompt, which may be padded at its end), else
// key_total_sequence_lengths less the new tokens. Q and K are rotated first with do_rotary. A query
// that sees no key gives 0.
absl::StatusOr<Kernel> SparseAttention(const KernelInit& node) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.heads, ReadHeadCounts(node));
  options.scale = node.Float("scale", 0);
  options.block = node.Int("sparse_block_size");
  options.rotates = node.Int("do_rotary", 0) != 0;
  options.interleaved = node.Int("rotary_interleaved", 0) != 0;
  if (options.block != 16 && options.block != 32 && options.block != 64 && options.block != 128) {
    return absl::InvalidArgumentError(
        absl::StrCat("sparse_block_size ", options.block, " is none of 16, 32, 64 and 128"));
  }
  return FloatKernel(kQuery,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribSparseAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "SparseAttention", {1}, SparseAttention);
}

}  // namespace onnxcmp

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/attention/attend_packed.h"
#include "ops/contrib/attention/multi_head.h"

namespace onnxcmp {
namespace {

enum InputIndex { kQuery, kKey, kValue, kBias, kTokenOffset, kBounds, kAttentionBias };

// Q, K or V as (1, tokens, hidden): input `i`, or part i of a query (tokens, heads, 3, head size).
absl::StatusOr<Tensor> HeadRows(const KernelContext& ctx, int i, int64_t heads) {
  const bool packed = !ctx.HasInput(kKey);
  const Tensor& x = ctx.Input(packed ? int{kQuery} : i);
  Tensor rows = x;
  if (packed) {
    if (x.rank() != 4 || x.dim(1) != heads || x.dim(2) != 3) {
      return BadAttentionShape("query without key", x,
                               absl::StrCat("(tokens, ", heads, ", 3, head size)"));
    }
    rows = Narrowed(x, 2, i, 1);
  } else if (x.rank() != 2) {
    return BadAttentionShape(i == kQuery ? "query"
                             : i == kKey ? "key"
                                         : "value",
                             x, "(tokens, hidden)");
  }
  OC_ASSIGN_OR_RETURN(rows, ctx.Contiguous(rows));
  const int64_t hidden = packed ? x.dim(1) * x.dim(3) : x.dim(1);
  return rows.Reshaped({1, x.dim(0), hidden});
}

template <typename C>
absl::Status Run(KernelContext& ctx, int64_t heads, float scale) {
  if (ctx.HasInput(kKey) != ctx.HasInput(kValue)) {
    return absl::InvalidArgumentError("key and value come together or not");
  }
  Tensor parts[3];
  int64_t column = 0;  // of the bias
  for (int i : {kQuery, kKey, kValue}) {
    OC_ASSIGN_OR_RETURN(const Tensor rows, HeadRows(ctx, i, heads));
    OC_ASSIGN_OR_RETURN(parts[i], HeadsWithBias<C>(ctx, rows,
                                                   i == kQuery ? "query"
                                                   : i == kKey ? "key"
                                                               : "value",
                                                   heads, kBias, column));
    column += rows.dim(2);
  }
  OC_ASSIGN_OR_RETURN(Tensor out, AttendPacked<C>(ctx, parts[kQuery], parts[kKey], parts[kValue],
                                                  {kTokenOffset, kBounds, kAttentionBias}, scale));
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, ctx.Input(kQuery).dtype()));
  return ctx.SetOutput(0, std::move(out));
}

// PackedMultiHeadAttention (com.microsoft 1): MultiHeadAttention of sequences that lie after each
// other without padding, bounded by cumulative_sequence_length. attention_bias is that of the
// padded sequences, of which token_offset tells the length. Without key and value, `query` holds
// all three as (tokens, heads, 3, head size). mask_filter_value has no use where there is no
// padding.
absl::StatusOr<Kernel> PackedMultiHeadAttention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const int64_t heads, ReadNumHeads(node));
  node.Ignore("mask_filter_value");
  const float scale = node.Float("scale", 0);
  return FloatKernel(
      kQuery, [heads, scale]<typename C>(KernelContext& ctx) { return Run<C>(ctx, heads, scale); });
}

}  // namespace

void RegisterContribPackedMultiHeadAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "PackedMultiHeadAttention", {1}, PackedMultiHeadAttention);
}

}  // namespace onnxcmp

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/attention.h"
#include "ops/common/attention_scores.h"
#include "ops/common/compute_class.h"
#include "ops/common/load_store.h"
#include "ops/common/self_attention.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeight, kBias, kMask, kGlobalWeight, kGlobalBias, kGlobal };

// Attention of the projections with one of the two sets of weights. Queries that `local` is given
// for see only what it leaves.
template <typename C>
absl::StatusOr<Tensor> AttendOnce(const KernelContext& ctx, const SelfAttentionOptions& options,
                                  int weight, int bias, const ScoreAddend<C>& mask,
                                  decltype(AttentionScores<C>::exclude) exclude) {
  OC_ASSIGN_OR_RETURN(const ProjectedHeads heads,
                      Project<C>(ctx, ctx.Input(kInput), ctx.Input(weight), bias, options));
  AttentionScores<C> scores;
  OC_ASSIGN_OR_RETURN(scores.shape, ShapeOfAttention(heads.q, heads.k, heads.v));
  scores.scale = AttentionScale<C>(0, scores.shape.head_size);
  scores.mask = mask;
  scores.exclude = std::move(exclude);
  return AttendTensors<C>(ctx, scores.shape, heads.q, heads.k, heads.v, true, scores);
}

template <typename C>
absl::Status Run(KernelContext& ctx, const SelfAttentionOptions& options, int64_t window) {
  const Tensor& input = ctx.Input(kInput);
  if (input.rank() != 3 || input.dim(1) % (2 * window) != 0) {
    return BadAttentionShape("input", input,
                             absl::StrCat("(batch, a multiple of ", 2 * window, ", hidden)"));
  }
  const Shape tokens = {input.dim(0), input.dim(1)};
  for (int i : {kMask, kGlobal}) {
    if (ctx.Input(i).shape() != tokens) {
      return BadAttentionShape(i == kMask ? "mask" : "global", ctx.Input(i), ShapeToString(tokens));
    }
  }
  for (int i : {kWeight, kGlobalWeight}) {
    if (ctx.Input(i).rank() != 2 || ctx.Input(i).dim(1) / 3 != input.dim(2)) {
      return BadAttentionShape("weights", ctx.Input(i), "(hidden, 3 * hidden)");
    }
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> global, ctx.IntsInput(kGlobal));
  const auto is_global = [&](int64_t batch, int64_t token) {
    return global[static_cast<size_t>(batch * tokens[1] + token)] != 0;
  };
  ScoreAddend<C> mask;
  OC_ASSIGN_OR_RETURN(mask.values, LoadTensor<C>(ctx, ctx.Input(kMask)));
  mask.batch_stride = tokens[1];
  const auto keep_near = [&](int64_t batch, int64_t, int64_t query, KeyRange range, C* row) {
    for (int64_t key = range.begin; key < range.end; ++key) {
      if (std::abs(key - query) > window && !is_global(batch, key)) {
        row[key] = -std::numeric_limits<C>::infinity();
      }
    }
  };
  OC_ASSIGN_OR_RETURN(Tensor out, AttendOnce<C>(ctx, options, kWeight, kBias, mask, keep_near));
  OC_ASSIGN_OR_RETURN(const Tensor of_global,
                      AttendOnce<C>(ctx, options, kGlobalWeight, kGlobalBias, mask, nullptr));
  C* rows = out.mutable_data<C>();
  const int64_t hidden = out.dim(2);
  for (int64_t token = 0; token < tokens[0] * tokens[1]; ++token) {
    if (global[static_cast<size_t>(token)] == 0) continue;
    std::copy_n(of_global.data<C>() + token * hidden, hidden, rows + token * hidden);
  }
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, input.dtype()));
  return ctx.SetOutput(0, std::move(out));
}

// LongformerAttention (com.microsoft 1): self attention where a token sees those up to `window`
// away from it and all global ones, projected by weight and bias; a global token sees all tokens,
// it and they being projected by global_weight and global_bias. `mask` is added to the scores of
// keys.
Kernel LongformerAttention(const KernelInit& node) {
  absl::StatusOr<SelfAttentionOptions> options = ReadSelfAttention(node);
  if (!options.ok()) return node.Fail(options.status());
  const int64_t window = node.Int("window");
  if (window < 1 || window > std::numeric_limits<int32_t>::max()) {
    return node.Fail(absl::InvalidArgumentError(absl::StrCat("window is ", window)));
  }
  return [options = *options, window](KernelContext& ctx) {
    return DispatchFloat(ctx.Input(kInput).dtype(),
                         [&]<typename C>() { return Run<C>(ctx, options, window); });
  };
}

}  // namespace

void RegisterContribLongformerAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "LongformerAttention", {1}, LongformerAttention);
}

}  // namespace onnxcmp

#include "ops/contrib/attention/longformer.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/attention/attention_scores.h"

namespace onnxcmp {
namespace {

// Attention of one of the two projections; `exclude` as in AttentionScores.
template <typename C>
absl::StatusOr<Tensor> AttendOnce(const KernelContext& ctx, const ProjectedHeads& heads,
                                  const ScoreAddend<C>& mask,
                                  decltype(AttentionScores<C>::exclude) exclude) {
  AttentionScores<C> scores;
  OC_ASSIGN_OR_RETURN(scores.shape, ShapeOfAttention(heads.q, heads.k, heads.v));
  scores.scale = AttentionScale<C>(0, scores.shape.head_size);
  scores.mask = mask;
  scores.exclude = std::move(exclude);
  return AttendTensors<C>(ctx, scores.shape, heads.q, heads.k, heads.v, true, scores);
}

}  // namespace

absl::Status CheckLongformer(const KernelContext& ctx, int mask, int global, int64_t window) {
  const Tensor& input = ctx.Input(0);
  if (input.rank() != 3 || input.dim(1) % (2 * window) != 0) {
    return BadAttentionShape("input", input,
                             absl::StrCat("(batch, a multiple of ", 2 * window, ", hidden)"));
  }
  const Shape tokens = {input.dim(0), input.dim(1)};
  for (int i : {mask, global}) {
    if (ctx.Input(i).shape() != tokens) {
      return BadAttentionShape(i == mask ? "mask" : "global", ctx.Input(i), ShapeToString(tokens));
    }
  }
  return absl::OkStatus();
}

template <typename C>
absl::StatusOr<Tensor> AttendLongformer(const KernelContext& ctx, const ProjectedHeads& local,
                                        const ProjectedHeads& of_global, int mask, int global,
                                        int64_t window) {
  const Shape& tokens = ctx.Input(mask).shape();
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> flags, ctx.IntsInput(global));
  const auto is_global = [&](int64_t batch, int64_t token) {
    return flags[static_cast<size_t>(batch * tokens[1] + token)] != 0;
  };
  ScoreAddend<C> addend;
  OC_ASSIGN_OR_RETURN(addend.values, LoadTensor<C>(ctx, ctx.Input(mask)));
  addend.batch_stride = tokens[1];
  const auto keep_near = [&](int64_t batch, int64_t, int64_t query, KeyRange range, C* row) {
    for (int64_t key = range.begin; key < range.end; ++key) {
      if (std::abs(key - query) > window && !is_global(batch, key)) {
        row[key] = -std::numeric_limits<C>::infinity();
      }
    }
  };
  OC_ASSIGN_OR_RETURN(Tensor out, AttendOnce<C>(ctx, local, addend, keep_near));
  OC_ASSIGN_OR_RETURN(const Tensor results, AttendOnce<C>(ctx, of_global, addend, nullptr));
  C* rows = out.mutable_data<C>();
  const int64_t hidden = out.dim(2);
  for (int64_t token = 0; token < tokens[0] * tokens[1]; ++token) {
    if (flags[static_cast<size_t>(token)] == 0) continue;
    std::copy_n(results.data<C>() + token * hidden, hidden, rows + token * hidden);
  }
  return out;
}
template absl::StatusOr<Tensor> AttendLongformer<float>(const KernelContext&, const ProjectedHeads&,
                                                        const ProjectedHeads&, int, int, int64_t);
template absl::StatusOr<Tensor> AttendLongformer<double>(const KernelContext&,
                                                         const ProjectedHeads&,
                                                         const ProjectedHeads&, int, int, int64_t);

}  // namespace onnxcmp

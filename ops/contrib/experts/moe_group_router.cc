#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/products/gemm.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

enum InputIndex : int { kLogits, kExpertBias, kProjection };
enum OutputIndex : int { kRouterProbs, kSelectionScores, kRouterWeights };

struct Options {
  int64_t groups = 1;
  int64_t chosen_groups = 1;
  int64_t scores_per_group = 2;
  int64_t k = 0;
  float sentinel = 0;
  bool full_scores = false;
};

// Logits (tokens, experts), as they are or projected.
template <typename C>
absl::StatusOr<Tensor> LogitsOf(const KernelContext& ctx, int64_t experts) {
  const Tensor& x = ctx.Input(kLogits);
  OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<C>(ctx, x));
  if (!ctx.HasInput(kProjection)) {
    if (x.rank() < 2 || x.shape().back() != experts) {
      return absl::InvalidArgumentError(absl::StrCat("logits is ", x.TypeString(), ", but ",
                                                     "expert_bias has ", experts, " experts"));
    }
    const absl::Span<const int64_t> dims = x.shape();
    return loaded.Reshaped({*NumElements(dims.first(dims.size() - 1)), experts});
  }
  const Tensor& projection = ctx.Input(kProjection);
  const int64_t width = x.rank() == 2 ? x.dim(1) : 0;
  if (width < 1 || width % 256 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "logits is ", x.TypeString(),
        ", but with projection_weight must be (tokens, width), width being a multiple of 256"));
  }
  OC_RETURN_IF_ERROR(CheckShape("projection_weight", projection, {experts, width}));
  OC_ASSIGN_OR_RETURN(const Tensor weights, LoadTensor<C>(ctx, projection));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, {x.dim(0), experts}));
  Gemm<C>(ctx.pool(), {x.dim(0), experts, width}, {loaded.data<C>(), width},
          {weights.data<C>(), 1, width}, {y.template mutable_data<C>(), experts});
  return y;
}

// The `count` numbers among `candidates` with the greatest values, or all if there are fewer: each
// the first that no later one exceeds. So the first of equal ones is taken, and NaN where it comes
// first, as onnxruntime does it.
template <typename C>
std::vector<int64_t> TakeGreatest(const C* values, int64_t count, std::vector<int64_t> candidates) {
  std::vector<int64_t> taken;
  while (static_cast<int64_t>(taken.size()) < count && !candidates.empty()) {
    auto best = candidates.begin();
    for (auto it = best; it != candidates.end(); ++it) {
      if (values[*it] > values[*best]) best = it;
    }
    taken.push_back(*best);
    candidates.erase(best);
  }
  return taken;
}

std::vector<int64_t> Numbers(int64_t first, int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// The experts of one token, by their biased scores.
template <typename C>
std::vector<int64_t> ChosenExperts(const Options& options, const C* biased, int64_t experts) {
  const int64_t size = experts / options.groups;
  std::vector<C> sums;
  for (int64_t group = 0; group < options.groups; ++group) {
    C sum = 0;
    const std::vector<int64_t> own = Numbers(group * size, size);
    for (const int64_t expert : TakeGreatest(biased, options.scores_per_group, own)) {
      sum += biased[expert];
    }
    sums.push_back(sum);
  }
  std::vector<int64_t> groups =
      TakeGreatest(sums.data(), options.chosen_groups, Numbers(0, options.groups));
  std::sort(groups.begin(), groups.end());
  std::vector<int64_t> candidates;
  for (const int64_t group : groups) {
    for (int64_t i = 0; i < size; ++i) candidates.push_back(group * size + i);
  }
  return TakeGreatest(biased, options.k, std::move(candidates));
}

template <typename C>
absl::Status EmitRoutes(KernelContext& ctx, const Options& options, const Tensor& scores,
                        const Tensor& biased) {
  const int64_t experts = scores.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, scores.shape()));
  C* out = y.template mutable_data<C>();
  std::fill_n(out, y.num_elements(), static_cast<C>(options.sentinel));
  ctx.pool().ParallelFor(scores.dim(0), [&](int64_t token) {
    const int64_t first = token * experts;
    for (const int64_t expert : ChosenExperts(options, biased.data<C>() + first, experts)) {
      const C score = std::max(scores.data<C>()[first + expert], static_cast<C>(1e-20));
      vec::Log(&score, 1, out + first + expert);
    }
  });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, ctx.Input(kLogits).dtype()));
  return ctx.SetOutput(kRouterProbs, std::move(y));
}

template <typename C>
absl::Status RouteByGroups(KernelContext& ctx, const Options& options) {
  const Tensor& bias = ctx.Input(kExpertBias);
  const int64_t experts = bias.rank() == 1 ? bias.dim(0) : 0;
  if (experts < 1 || experts > 512 || experts % options.groups != 0 || options.k > experts) {
    return absl::InvalidArgumentError(
        absl::StrCat("expert_bias is ", bias.TypeString(), ", which is not one of at most 512 ",
                     "experts in ", options.groups, " groups, of which to choose ", options.k));
  }
  OC_ASSIGN_OR_RETURN(const Tensor logits, LogitsOf<C>(ctx, experts));
  OC_ASSIGN_OR_RETURN(const Tensor addend, LoadTensor<C>(ctx, bias));
  OC_ASSIGN_OR_RETURN(Tensor scores, ctx.Allocate(kDTypeOf<C>, logits.shape()));
  OC_ASSIGN_OR_RETURN(Tensor biased, ctx.Allocate(kDTypeOf<C>, logits.shape()));
  vec::Sigmoid(logits.data<C>(), logits.num_elements(), scores.template mutable_data<C>());
  for (int64_t i = 0; i < logits.num_elements(); ++i) {
    biased.template mutable_data<C>()[i] = scores.data<C>()[i] + addend.data<C>()[i % experts];
  }
  if (!options.full_scores) return EmitRoutes<C>(ctx, options, scores, biased);
  OC_ASSIGN_OR_RETURN(biased, StoreTensor<C>(ctx, biased, bias.dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(kSelectionScores, std::move(biased)));
  OC_ASSIGN_OR_RETURN(scores, StoreTensor<C>(ctx, scores, bias.dtype()));
  return ctx.SetOutput(kRouterWeights, std::move(scores));
}

// MoEGroupRouter (com.microsoft 1): s = sigmoid(logits), b = s + expert_bias. The topk_group groups
// of neighbouring experts with the greatest sums of their group_topk greatest b are chosen, of
// their experts the top_k with the greatest b; router_probs is log(max(s, 1e-20)) for these and
// router_sentinel for the others. Of equal ones the first is chosen; groups that have fewer experts
// than top_k give all. In the other form b and s are
// selection_scores and router_weights, and nothing is chosen; logits may then be activations, which
// projection_weight makes logits of. Computed in float and rounded once.
absl::StatusOr<Kernel> MoeGroupRouter(const KernelInit& node) {
  Options options = {.groups = node.Int("n_group"),
                     .chosen_groups = node.Int("topk_group"),
                     .scores_per_group = node.Int("group_topk"),
                     .k = node.Int("top_k"),
                     .sentinel = node.Float("router_sentinel"),
                     .full_scores = node.HasOutput(kSelectionScores)};
  if (options.groups < 1 || options.chosen_groups < 1 || options.chosen_groups > options.groups ||
      options.scores_per_group < 1 || options.k < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "n_group ", options.groups, ", topk_group ", options.chosen_groups, ", group_topk ",
        options.scores_per_group, " and top_k ", options.k, " do not go together"));
  }
  if (node.HasOutput(kSelectionScores) != node.HasOutput(kRouterWeights) ||
      node.HasOutput(kRouterProbs) == options.full_scores) {
    return absl::InvalidArgumentError(
        "either router_probs is wanted, or selection_scores and router_weights");
  }
  if (options.full_scores && options.groups != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("selection_scores need one group, but n_group is ", options.groups));
  }
  if (!options.full_scores && node.HasInput(kProjection)) {
    return absl::InvalidArgumentError(
        "projection_weight goes with selection_scores and router_weights");
  }
  return FloatKernel(kLogits, [options]<typename C>(KernelContext& ctx) {
    return RouteByGroups<C>(ctx, options);
  });
}

}  // namespace

void RegisterContribMoeGroupRouter(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MoEGroupRouter", {1}, MoeGroupRouter);
}

}  // namespace onnxcmp

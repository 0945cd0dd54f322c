#include "ops/common/reduction/likelihood_loss.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {

absl::StatusOr<LossOptions> LossOptions::FromNode(const KernelInit& node) {
  LossOptions options;
  const std::string reduction = node.String("reduction");
  if (reduction == "none") {
    options.reduction = Reduction::kNone;
  } else if (reduction == "sum") {
    options.reduction = Reduction::kSum;
  } else if (reduction != "mean") {
    return absl::InvalidArgumentError(
        absl::StrCat("reduction must be none, sum or mean, not ", reduction));
  }
  if (node.Has("ignore_index")) {
    options.ignored = node.Int("ignore_index");
  }
  options.zero_of_nothing = node.node().domain == kMicrosoftDomain;
  return options;
}

absl::StatusOr<LossOptions> LossOptions::WithInputs(const KernelContext& ctx) const {
  LossOptions options = *this;
  if (ctx.HasInput(3)) {
    OC_ASSIGN_OR_RETURN(options.ignored, ctx.ScalarInput<int64_t>(3));
  }
  return options;
}

absl::Status CheckLossInputs(const KernelContext& ctx) {
  const Tensor& scores = ctx.Input(0);
  if (scores.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("scores need a batch and classes, but are ", scores.TypeString()));
  }
  Shape want = scores.shape();
  want.erase(want.begin() + 1);
  if (ctx.Input(1).shape() != want) {
    return absl::InvalidArgumentError(absl::StrCat("targets are ", ctx.Input(1).TypeString(),
                                                   ", but scores are ", scores.TypeString()));
  }
  if (ctx.HasInput(2) && (ctx.Input(2).rank() != 1 || ctx.Input(2).dim(0) != scores.dim(1))) {
    return absl::InvalidArgumentError(absl::StrCat("weights are ", ctx.Input(2).TypeString(),
                                                   ", but there are ", scores.dim(1), " classes"));
  }
  return absl::OkStatus();
}

template <typename C>
absl::Status EmitLikelihoodLoss(KernelContext& ctx, const Tensor& log_probabilities,
                                const LossOptions& options) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> targets, ctx.IntsInput(1));
  Tensor weights;
  if (ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(weights, LoadTensor<C>(ctx, ctx.Input(2)));
  }
  const LaneShape lanes = LanesAlong(log_probabilities.shape(), 1);
  const C* from = log_probabilities.data<C>();
  std::vector<C> losses(targets.size(), C{0});
  std::vector<C> applied(targets.size(), C{0});  // weights
  for (size_t i = 0; i < targets.size(); ++i) {
    const int64_t target = targets[i];
    if (target == options.ignored) {
      continue;
    }
    if (target < 0 || target >= lanes.length) {
      return absl::InvalidArgumentError(
          absl::StrCat("target ", target, " is none of ", lanes.length, " classes"));
    }
    const int64_t outer = static_cast<int64_t>(i) / lanes.inner;
    const int64_t inner = static_cast<int64_t>(i) % lanes.inner;
    applied[i] = weights.defined() ? weights.data<C>()[target] : C{1};
    losses[i] = -from[(outer * lanes.length + target) * lanes.inner + inner] * applied[i];
  }
  const auto count = static_cast<int64_t>(targets.size());
  const bool reduced = options.reduction != LossOptions::Reduction::kNone;
  if (reduced) {
    C loss = LaneSum(losses.data(), count);
    if (options.reduction == LossOptions::Reduction::kMean) {
      const C total = LaneSum(applied.data(), count);
      if (total != 0 || !options.zero_of_nothing) loss /= total;
    }
    losses = {loss};
  }
  OC_ASSIGN_OR_RETURN(Tensor out,
                      ctx.Allocate(ctx.Input(0).dtype(), reduced ? Shape() : ctx.Input(1).shape()));
  StoreElements(out.dtype(), losses.data(), out.num_elements(), out.mutable_raw_data(), 0);
  return ctx.SetOutput(0, std::move(out));
}

template absl::Status EmitLikelihoodLoss<float>(KernelContext&, const Tensor&, const LossOptions&);
template absl::Status EmitLikelihoodLoss<double>(KernelContext&, const Tensor&, const LossOptions&);

}  // namespace onnxcmp

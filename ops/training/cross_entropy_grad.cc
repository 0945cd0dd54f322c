#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/reduction/likelihood_loss.h"

namespace onnxcmp {
namespace {

using LossReduction = LossOptions::Reduction;

// The weight of each position's label: 0 for those that are ignored.
template <typename C>
absl::StatusOr<std::vector<C>> LabelWeights(const KernelContext& ctx,
                                            const std::vector<int64_t>& labels, int64_t classes,
                                            std::optional<int64_t> ignored) {
  Tensor weights;
  if (ctx.HasInput(3)) {
    if (ctx.Input(3).shape() != Shape{classes}) {
      return absl::InvalidArgumentError(absl::StrCat("weights are ", ctx.Input(3).TypeString(),
                                                     ", but there are ", classes, " classes"));
    }
    OC_ASSIGN_OR_RETURN(weights, LoadTensor<C>(ctx, ctx.Input(3)));
  }
  std::vector<C> result(labels.size(), C{0});
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == ignored) continue;
    if (labels[i] < 0 || labels[i] >= classes) {
      return absl::InvalidArgumentError(
          absl::StrCat("label ", labels[i], " is none of ", classes, " classes"));
    }
    result[i] = weights.defined() ? weights.data<C>()[labels[i]] : C{1};
  }
  return result;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const LossOptions& options, std::optional<int64_t> ignored) {
  OC_ASSIGN_OR_RETURN(const Tensor log_prob, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor dy, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> labels, ctx.IntsInput(2));
  Shape positions = log_prob.shape();
  if (positions.size() >= 2) positions.erase(positions.begin() + 1);
  const bool reduced = options.reduction != LossReduction::kNone;
  if (log_prob.rank() < 2 || ctx.Input(2).shape() != positions ||
      (reduced ? dy.num_elements() != 1 : dy.shape() != positions)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dY is ", dy.TypeString(), ", log_prob ", log_prob.TypeString(), ", the labels are ",
        ctx.Input(2).TypeString(), ": they do not fit to each other"));
  }
  const LaneShape lanes = LanesAlong(log_prob.shape(), 1);
  OC_ASSIGN_OR_RETURN(std::vector<C> factors, LabelWeights<C>(ctx, labels, lanes.length, ignored));
  C common = 1;
  if (options.reduction == LossReduction::kMean) {
    const C total = LaneSum(factors.data(), static_cast<int64_t>(factors.size()));
    if (total != 0) common = C{1} / total;
  }
  for (size_t i = 0; i < factors.size(); ++i) {
    factors[i] *= dy.data<C>()[reduced ? 0 : i] * common;
  }
  OC_ASSIGN_OR_RETURN(Tensor gradient, ctx.Allocate(kDTypeOf<C>, log_prob.shape()));
  C* out = gradient.mutable_data<C>();
  vec::Exp(log_prob.data<C>(), gradient.num_elements(), out);
  for (int64_t i = 0; i < gradient.num_elements(); ++i) {
    const auto position =
        static_cast<size_t>(i / (lanes.length * lanes.inner) * lanes.inner + i % lanes.inner);
    const bool hit = i / lanes.inner % lanes.length == labels[position];
    // An ignored label's gradient is 0 whatever the probabilities are.
    out[i] = labels[position] == ignored ? C{0} : (out[i] - (hit ? 1 : 0)) * factors[position];
  }
  if (ctx.HasInput(5)) {
    OC_ASSIGN_OR_RETURN(const Tensor bias, LoadTensor<C>(ctx, ctx.Input(5)));
    if (bias.num_elements() != gradient.num_elements()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the bias is ", bias.TypeString(), ", log_prob ", log_prob.TypeString()));
    }
    for (int64_t i = 0; i < gradient.num_elements(); ++i) out[i] += bias.data<C>()[i];
  }
  OC_ASSIGN_OR_RETURN(gradient, StoreTensor<C>(ctx, gradient, ctx.Input(1).dtype()));
  return ctx.SetOutput(0, std::move(gradient));
}

// SoftmaxCrossEntropyLossGrad (com.microsoft 1): with p = exp(log_prob) along axis 1,
//   d_logits = (p - onehot(label)) * weight[label] * dY / n
// where n is the sum of the weights that count for the reduction "mean" (1 if that is 0), else 1;
// 0 for labels that are ignored. Inputs: dY, log_prob, label, weight.
//
// SoftmaxCrossEntropyLossInternalGrad (com.microsoft 1): the same; ignore_index is an input, and
// one more, bias, is added to the result.
absl::StatusOr<Kernel> SoftmaxCrossEntropyLossGrad(const KernelInit& node) {
  if (node.Int("output_type", 0) != 0) {
    return absl::UnimplementedError("output_type");
  }
  OC_ASSIGN_OR_RETURN(const LossOptions options, LossOptions::FromNode(node));
  return [options](KernelContext& ctx) -> absl::Status {
    std::optional<int64_t> ignored = options.ignored;
    if (ctx.HasInput(4)) {
      OC_ASSIGN_OR_RETURN(ignored, ctx.ScalarInput<int64_t>(4));
    }
    return DispatchFloat(ctx.Input(1).dtype(),
                         [&]<typename C>() { return Run<C>(ctx, options, ignored); });
  };
}

}  // namespace

void RegisterTrainingCrossEntropyGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "SoftmaxCrossEntropyLossGrad", {1}, SoftmaxCrossEntropyLossGrad);
  registry.Add(kMicrosoftDomain, "SoftmaxCrossEntropyLossInternalGrad", {1},
               SoftmaxCrossEntropyLossGrad);
}

}  // namespace onnxcmp

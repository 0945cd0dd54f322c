#include "evaluator/op_registry.h"
#include "ops/common/compute_class.h"
#include "ops/common/likelihood_loss.h"
#include "ops/common/load_store.h"

namespace onnxcmp {
namespace {

// NegativeLogLikelihoodLoss (ai.onnx 12, 13, 22): loss = -input[target] * weight[target] for every
// sample, 0 where the target is `ignore_index`; summed, or divided by the sum of the weights that
// were applied (NaN if there was none). Differs from the function body: narrow floats are rounded
// once, and a target that is no class is an error.
Kernel NegativeLogLikelihoodLoss(const KernelInit& node) {
  const LossOptions options = LossOptions::FromNode(node);
  return [=](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckLossInputs(ctx));
    return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor input, LoadTensor<C>(ctx, ctx.Input(0)));
      return EmitLikelihoodLoss<C>(ctx, input, options);
    });
  };
}

}  // namespace

void RegisterNegativeLogLikelihoodLoss(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "NegativeLogLikelihoodLoss", AllVersions(12, 22),
               NegativeLogLikelihoodLoss);
}

}  // namespace onnxcmp

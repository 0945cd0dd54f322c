#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/likelihood_loss.h"

namespace onnxcmp {
namespace {

// NegativeLogLikelihoodLoss (ai.onnx 12, 13, 22): loss = -input[target] * weight[target] for every
// sample, 0 where the target is `ignore_index`; summed, or divided by the sum of the weights that
// were applied (NaN if there was none). Differs from the function body: narrow floats are rounded
// once, and a target that is no class is an error.
//
// NegativeLogLikelihoodLossInternal, NegativeLogLikelihoodLossInternal2 (com.microsoft 1): the same
// with ignore_index as an input; the mean is 0 if all targets are ignored.
absl::StatusOr<Kernel> NegativeLogLikelihoodLoss(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const LossOptions attributes, LossOptions::FromNode(node));
  return [attributes](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const LossOptions options, attributes.WithInputs(ctx));
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
  for (const char* name :
       {"NegativeLogLikelihoodLossInternal", "NegativeLogLikelihoodLossInternal2"}) {
    registry.Add(kMicrosoftDomain, name, {1}, NegativeLogLikelihoodLoss);
  }
}

}  // namespace onnxcmp

#include <cstdint>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/reduction/likelihood_loss.h"
#include "ops/common/reduction/softmax.h"

namespace onnxcmp {
namespace {

// SoftmaxCrossEntropyLoss (ai.onnx 12, 13): log_prob = LogSoftmax(scores) along axis 1, and the
// loss is NegativeLogLikelihoodLoss(log_prob, labels, weights). Differs from the function body:
// narrow floats are rounded once, and a label that is no class is an error.
//
// SoftmaxCrossEntropyLossInternal (com.microsoft 1): the same with ignore_index as an input; the
// mean is 0 if all labels are ignored.
absl::StatusOr<Kernel> SoftmaxCrossEntropyLoss(const KernelInit& node) {
  if (node.Int("output_type", 0) != 0) {
    return absl::UnimplementedError("output_type");
  }
  OC_ASSIGN_OR_RETURN(const LossOptions attributes, LossOptions::FromNode(node));
  return [attributes](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const LossOptions options, attributes.WithInputs(ctx));
    OC_RETURN_IF_ERROR(CheckLossInputs(ctx));
    return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor scores, LoadTensor<C>(ctx, ctx.Input(0)));
      OC_ASSIGN_OR_RETURN(Tensor log_prob, ctx.Allocate(scores.dtype(), scores.shape()));
      const LaneShape lanes = LanesAlong(scores.shape(), 1);
      TransformLanes<C>(ctx.pool(), scores, lanes, log_prob,
                        [&](int64_t, const C* x, C* y) { LogSoftmaxLane(x, lanes.length, y); });
      OC_RETURN_IF_ERROR(EmitLikelihoodLoss<C>(ctx, log_prob, options));
      if (!ctx.HasOutput(1)) {
        return absl::OkStatus();
      }
      OC_ASSIGN_OR_RETURN(log_prob, StoreTensor<C>(ctx, log_prob, ctx.Input(0).dtype()));
      return ctx.SetOutput(1, std::move(log_prob));
    });
  };
}

}  // namespace

void RegisterSoftmaxCrossEntropyLoss(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SoftmaxCrossEntropyLoss", {12, 13}, SoftmaxCrossEntropyLoss);
  registry.Add(kMicrosoftDomain, "SoftmaxCrossEntropyLossInternal", {1}, SoftmaxCrossEntropyLoss);
}

}  // namespace onnxcmp

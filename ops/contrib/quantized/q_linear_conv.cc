#include "ops/common/convolution/q_linear_conv.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// QLinearConv (com.microsoft 1): as QLinearConv of ai.onnx; with channels_last x and y are
// (N, D1, ..., C), and w is (M, C / group, k1, ...) as ever.
absl::StatusOr<Kernel> ContribQLinearConv(const KernelInit& node) {
  const bool channels_last = node.Flag("channels_last");
  OC_ASSIGN_OR_RETURN(const ConvAttributes attributes, ConvAttributes::FromNode(node));
  return [=](KernelContext& ctx) { return RunQLinearConv(ctx, attributes, channels_last); };
}

}  // namespace

void RegisterContribQLinearConv(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearConv", {1}, ContribQLinearConv);
}

}  // namespace onnxcmp

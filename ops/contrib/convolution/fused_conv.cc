#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/conv_family.h"

namespace onnxcmp {
namespace {

// FusedConv (com.microsoft 1): Y = activation(conv(X, W) + B + Z); a narrow float is rounded once,
// after the activation.
Kernel FusedConv(const KernelInit& node) {
  const absl::StatusOr<Activation> activation = FusedConvActivation(node);
  if (!activation.ok()) return node.Fail(activation.status());
  return [attributes = ConvAttributes(node), activation = *activation](KernelContext& ctx) {
    return RunConv(ctx, attributes, activation);
  };
}

}  // namespace

void RegisterContribFusedConv(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FusedConv", {1}, FusedConv);
}

}  // namespace onnxcmp

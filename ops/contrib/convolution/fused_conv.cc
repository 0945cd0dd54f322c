#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/conv_family.h"

namespace onnxcmp {
namespace {

// FusedConv (com.microsoft 1): Y = activation(conv(X, W) + B + Z); a narrow float is rounded once,
// after the activation.
absl::StatusOr<Kernel> FusedConv(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Activation activation, FusedConvActivation(node));
  OC_ASSIGN_OR_RETURN(const ConvAttributes attributes, ConvAttributes::FromNode(node));
  return
      [attributes, activation](KernelContext& ctx) { return RunConv(ctx, attributes, activation); };
}

}  // namespace

void RegisterContribFusedConv(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FusedConv", {1}, FusedConv);
}

}  // namespace onnxcmp

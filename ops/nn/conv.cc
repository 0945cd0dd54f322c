#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/conv_family.h"

namespace onnxcmp {
namespace {

// Conv (ai.onnx 1, 11, 22): Y[n, m, o] = B[m] + the sum over the channels c of m's group and the
// taps t of the window o of W[m, c, t] * X[n, c, t]; any number of spatial dimensions.
absl::StatusOr<Kernel> Conv(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ConvAttributes attributes, ConvAttributes::FromNode(node));
  return [attributes](KernelContext& ctx) { return RunConv(ctx, attributes, Activation()); };
}

}  // namespace

void RegisterConv(OpRegistry& registry) { registry.Add(kOnnxDomain, "Conv", {1, 11, 22}, Conv); }

}  // namespace onnxcmp

#include "ops/common/convolution/q_linear_conv.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// QLinearConv (ai.onnx 10):
//   real = (conv(x - x_zero_point, w - w_zero_point) + B) * x_scale * w_scale
//   y = saturate(round(real / y_scale) + y_zero_point)
absl::StatusOr<Kernel> QLinearConv(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ConvAttributes attributes, ConvAttributes::FromNode(node));
  return [attributes](KernelContext& ctx) {
    return RunQLinearConv(ctx, attributes, /*channels_last=*/false);
  };
}

}  // namespace

void RegisterQLinearConv(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "QLinearConv", {10}, QLinearConv);
}

}  // namespace onnxcmp

#include "ops/common/convolution/q_linear_conv.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// QLinearConv (ai.onnx 10):
//   real = (conv(x - x_zero_point, w - w_zero_point) + B) * x_scale * w_scale
//   y = saturate(round(real / y_scale) + y_zero_point)
Kernel QLinearConv(const KernelInit& node) {
  return [attributes = ConvAttributes(node)](KernelContext& ctx) {
    return RunQLinearConv(ctx, attributes, /*channels_last=*/false);
  };
}

}  // namespace

void RegisterQLinearConv(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "QLinearConv", {10}, QLinearConv);
}

}  // namespace onnxcmp

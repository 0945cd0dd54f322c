#include "ops/common/convolution/qlinear_conv.h"
#include "evaluator/op_registry.h"

namespace onnxcmp {
namespace {

// QLinearConv (ai.onnx 10):
//   real = (conv(x - x_zero_point, w - w_zero_point) + B) * x_scale * w_scale
//   y = saturate(round(real / y_scale) + y_zero_point)
Kernel QlinearConv(const KernelInit& node) {
  return [attributes = ConvAttributes(node)](KernelContext& ctx) {
    return RunQlinearConv(ctx, attributes, /*channels_last=*/false);
  };
}

}  // namespace

void RegisterQlinearConv(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "QLinearConv", {10}, QlinearConv);
}

}  // namespace onnxcmp

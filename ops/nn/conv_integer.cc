#include <utility>
#include <vector>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/conv_family.h"
#include "ops/common/quantized/quantization.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kW, kXZero, kWZero };

// ConvInteger (ai.onnx 10): y = conv(x - x_zero_point, w - w_zero_point) in 32 bits, which wrap
// around. The zero point of w is a number or a vector over the output channels.
absl::StatusOr<Kernel> ConvInteger(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ConvAttributes attributes, ConvAttributes::FromNode(node));
  return [attributes](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const ConvPlan plan,
                        PlanConv(attributes, ctx.Input(kX), ctx.Input(kW), nullptr));
    OC_RETURN_IF_ERROR(CheckWork(ctx, ConvWork(plan)));
    const int64_t channels = plan.shape.groups * plan.shape.out_channels;
    int64_t x_zero = 0;
    if (ctx.HasInput(kXZero)) {
      OC_ASSIGN_OR_RETURN(x_zero, ctx.ScalarInput<int64_t>(kXZero));
    }
    std::vector<int16_t> w_zeros = {0};
    if (ctx.HasInput(kWZero)) {
      OC_ASSIGN_OR_RETURN(w_zeros, ZeroPointsInput(ctx, kWZero, channels));
    }
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(kX));
    OC_ASSIGN_OR_RETURN(const Tensor w, ctx.ContiguousInput(kW));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kInt32, plan.output));
    OC_RETURN_IF_ERROR(ConvolveIntegers(ctx.pool(), plan.shape, BytesOf(x),
                                        static_cast<int16_t>(x_zero), BytesOf(w), w_zeros,
                                        y.mutable_data<int32_t>()));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterConvInteger(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ConvInteger", {10}, ConvInteger);
}

}  // namespace onnxcmp

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/conv_family.h"
#include "ops/common/quantization.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

// QLinearConv (ai.onnx 10):
//   real = (conv(x - x_zero_point, w - w_zero_point) + B) * x_scale * w_scale
//   y = saturate(round(real / y_scale) + y_zero_point)
// The sums are exact; w_scale and w_zero_point are numbers or vectors over the output channels.
Kernel QlinearConv(const KernelInit& node) {
  return [attributes = ConvAttributes(node)](KernelContext& ctx) -> absl::Status {
    const Tensor* bias = ctx.HasInput(kBias) ? &ctx.Input(kBias) : nullptr;
    OC_ASSIGN_OR_RETURN(const ConvPlan plan,
                        PlanConv(attributes, ctx.Input(kX), ctx.Input(kW), bias));
    const ConvolutionShape& shape = plan.shape;
    const int64_t channels = shape.groups * shape.out_channels;
    OC_ASSIGN_OR_RETURN(const double x_scale, ctx.ScalarInput<double>(kXScale));
    OC_ASSIGN_OR_RETURN(const int64_t x_zero, ctx.ScalarInput<int64_t>(kXZero));
    OC_ASSIGN_OR_RETURN(const double y_scale, ctx.ScalarInput<double>(kYScale));
    OC_ASSIGN_OR_RETURN(const int64_t y_zero, ctx.ScalarInput<int64_t>(kYZero));
    OC_ASSIGN_OR_RETURN(const auto w_scale, PerChannelInput<double>(ctx, kWScale, channels));
    OC_ASSIGN_OR_RETURN(const auto w_zero, PerChannelInput<int64_t>(ctx, kWZero, channels));
    std::vector<int64_t> offsets(static_cast<size_t>(channels));
    if (bias != nullptr) {
      OC_ASSIGN_OR_RETURN(offsets, PerChannelInput<int64_t>(ctx, kBias, channels));
    }
    OC_ASSIGN_OR_RETURN(const Tensor x, SubtractZeroPoints(ctx, ctx.Input(kX), {x_zero}));
    OC_ASSIGN_OR_RETURN(const Tensor w, SubtractZeroPoints(ctx, ctx.Input(kW), w_zero));

    const DType dtype = ctx.Input(kYZero).dtype();
    OC_ASSIGN_OR_RETURN(Tensor sums, ctx.Allocate(DType::kInt32, plan.output));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(dtype, plan.output));
    int32_t* sum = sums.mutable_data<int32_t>();
    auto* out = reinterpret_cast<uint8_t*>(y.mutable_raw_data());
    const int64_t windows = NumOutputs(shape.windows);
    const auto low = static_cast<int32_t>(IntegerMin(dtype));
    const auto high = static_cast<int32_t>(IntegerMax(dtype));
    OC_RETURN_IF_ERROR(ConvolveIntegers(
        ctx.pool(), shape, x.data<int16_t>(), w.data<int16_t>(), sum, [&](const GemmBlock& block) {
          for (int64_t i = block.row_begin; i < block.row_end; ++i) {
            const int64_t plane = block.batch * shape.out_channels + i;
            const auto channel = static_cast<size_t>(plane % channels);
            const double scale = x_scale * w_scale[channel];
            const auto offset = static_cast<uint32_t>(offsets[channel]);
            for (int64_t j = block.column_begin; j < block.column_end; ++j) {
              const int64_t at = plane * windows + j;
              const auto total = static_cast<int32_t>(static_cast<uint32_t>(sum[at]) + offset);
              out[at] = static_cast<uint8_t>(
                  Requantize(total * scale / y_scale, static_cast<int32_t>(y_zero), low, high));
            }
          }
        }));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterQlinearConv(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "QLinearConv", {10}, QlinearConv);
}

}  // namespace onnxcmp

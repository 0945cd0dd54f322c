#include "ops/common/convolution/q_linear_conv.h"

#include <utility>
#include <vector>

#include "ops/common/quantized/quantization.h"
#include "ops/common/shapes/views.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

}  // namespace

absl::Status RunQLinearConv(KernelContext& ctx, const ConvAttributes& attributes,
                            bool channels_last) {
  const Tensor& input = ctx.Input(kX);
  const Tensor bytes = channels_last ? ChannelsFirst(input) : input;
  const Tensor* bias = ctx.HasInput(kBias) ? &ctx.Input(kBias) : nullptr;
  OC_ASSIGN_OR_RETURN(const ConvPlan plan, PlanConv(attributes, bytes, ctx.Input(kW), bias));
  OC_RETURN_IF_ERROR(CheckWork(ctx, ConvWork(plan)));
  const ConvolutionShape& shape = plan.shape;
  const int64_t channels = shape.groups * shape.out_channels;
  OC_ASSIGN_OR_RETURN(const double x_scale, ctx.ScalarInput<double>(kXScale));
  OC_ASSIGN_OR_RETURN(const int64_t x_zero, ctx.ScalarInput<int64_t>(kXZero));
  OC_ASSIGN_OR_RETURN(const double y_scale, ctx.ScalarInput<double>(kYScale));
  OC_ASSIGN_OR_RETURN(const int64_t y_zero, ctx.ScalarInput<int64_t>(kYZero));
  OC_ASSIGN_OR_RETURN(const auto w_scale, PerChannelInput<double>(ctx, kWScale, channels));
  OC_ASSIGN_OR_RETURN(const auto w_zeros, ZeroPointsInput(ctx, kWZero, channels));
  std::vector<int64_t> offsets(static_cast<size_t>(channels));
  if (bias != nullptr) {
    OC_ASSIGN_OR_RETURN(offsets, PerChannelInput<int64_t>(ctx, kBias, channels));
  }
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.Contiguous(bytes));
  OC_ASSIGN_OR_RETURN(const Tensor w, ctx.ContiguousInput(kW));

  const DType dtype = ctx.Input(kYZero).dtype();
  OC_ASSIGN_OR_RETURN(Tensor sums, ctx.Allocate(DType::kInt32, plan.output));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(dtype, plan.output));
  int32_t* sum = sums.mutable_data<int32_t>();
  std::byte* out = y.mutable_raw_data();
  const int64_t windows = NumOutputs(shape.windows);
  const Requantization result(dtype, y_zero);
  OC_RETURN_IF_ERROR(
      ConvolveIntegers(ctx.pool(), shape, BytesOf(x), static_cast<int16_t>(x_zero), BytesOf(w),
                       w_zeros, sum, [&](const GemmBlock& block) {
                         for (int64_t i = block.row_begin; i < block.row_end; ++i) {
                           const int64_t plane = block.batch * shape.out_channels + i;
                           const auto channel = static_cast<size_t>(plane % channels);
                           const int64_t first = plane * windows + block.column_begin;
                           result.Store(sum + first, block.column_end - block.column_begin,
                                        static_cast<int32_t>(offsets[channel]),
                                        x_scale * w_scale[channel] / y_scale, out + first);
                         }
                       }));
  return ctx.SetOutput(0, channels_last ? ChannelsLast(y) : std::move(y));
}

}  // namespace onnxcmp

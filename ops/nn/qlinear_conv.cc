#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/conv_family.h"
#include "ops/common/load_store.h"
#include "ops/common/quantization.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

// One number for each output channel.
template <typename C>
absl::StatusOr<std::vector<C>> PerChannel(const KernelContext& ctx, int index, int64_t channels) {
  OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<C>(ctx, ctx.Input(index)));
  const absl::Span<const C> values = loaded.AsSpan<C>();
  if (values.size() == 1) return std::vector<C>(static_cast<size_t>(channels), values[0]);
  if (loaded.rank() != 1 || loaded.dim(0) != channels) {
    return absl::InvalidArgumentError(absl::StrCat("input ", index, " is ", loaded.TypeString(),
                                                   ", but there are ", channels,
                                                   " output channels"));
  }
  return std::vector<C>(values.begin(), values.end());
}

// x minus the zero point of its part; parts follow each other and have one length.
absl::StatusOr<Tensor> Subtract(const KernelContext& ctx, const Tensor& x,
                                const std::vector<int64_t>& zeros) {
  OC_ASSIGN_OR_RETURN(const Tensor in, x.Contiguous());
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(DType::kInt16, x.shape()));
  const bool is_signed = x.dtype() == DType::kInt8;
  const uint8_t* from = in.data<uint8_t>();
  int16_t* to = out.mutable_data<int16_t>();
  const int64_t part = zeros.empty() ? 0 : x.num_elements() / static_cast<int64_t>(zeros.size());
  for (size_t p = 0; p < zeros.size(); ++p, from += part, to += part) {
    const auto zero = static_cast<int16_t>(zeros[p]);
    for (int64_t i = 0; i < part; ++i) {
      const int16_t value =
          is_signed ? static_cast<int16_t>(static_cast<int8_t>(from[i])) : int16_t{from[i]};
      to[i] = static_cast<int16_t>(value - zero);
    }
  }
  return out;
}

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
    OC_ASSIGN_OR_RETURN(const auto w_scale, PerChannel<double>(ctx, kWScale, channels));
    OC_ASSIGN_OR_RETURN(const auto w_zero, PerChannel<int64_t>(ctx, kWZero, channels));
    std::vector<int64_t> offsets(static_cast<size_t>(channels));
    if (bias != nullptr) {
      OC_ASSIGN_OR_RETURN(offsets, PerChannel<int64_t>(ctx, kBias, channels));
    }
    OC_ASSIGN_OR_RETURN(const Tensor x, Subtract(ctx, ctx.Input(kX), {x_zero}));
    OC_ASSIGN_OR_RETURN(const Tensor w, Subtract(ctx, ctx.Input(kW), w_zero));

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

#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/quantized/quantization.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kXZero, kYScale, kYZero };

// y / scale + zero point.
absl::StatusOr<Tensor> Shifted(const KernelContext& ctx, const Tensor& y) {
  OC_ASSIGN_OR_RETURN(const float scale, ctx.ScalarInput<float>(kYScale));
  float zero_point = 0;
  if (ctx.HasInput(kYZero)) {
    OC_ASSIGN_OR_RETURN(zero_point, ctx.ScalarInput<float>(kYZero));
  }
  return ElementwiseIn<float, 1>(ctx, {&y}, DType::kFloat,
                                 [=](auto x) { return x / scale + zero_point; });
}

// QLinearAveragePool (com.microsoft 1): the means of the real values in windows, of (N, C, D1, ...)
// or, with channels_last, (N, D1, ..., C), in float and tap by tap:
//   Y = saturate(round(mean / y_scale + y_zero_point))
// As onnxruntime has it, the zero point is added before rounding, which matters for halves, and
// count_include_pad divides by the kernel's size, also where ceil_mode goes beyond the padding.
absl::StatusOr<Kernel> QLinearAveragePool(const KernelInit& node) {
  const bool channels_last = node.Flag("channels_last");
  const PoolDivisor divisor =
      node.Flag("count_include_pad") ? PoolDivisor::kTaps : PoolDivisor::kInputs;
  OC_ASSIGN_OR_RETURN(const WindowAttributes attributes, WindowAttributes::FromNode(node));
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor x, RealInput(ctx, {kX, kXScale, kXZero}, DType::kFloat));
    if (channels_last) {
      OC_ASSIGN_OR_RETURN(x, ctx.Contiguous(ChannelsFirst(x)));
    }
    OC_ASSIGN_OR_RETURN(const Windows windows, PlanPool(attributes, x));
    OC_ASSIGN_OR_RETURN(Tensor y,
                        AverageWindows<float>(ctx, x, windows, divisor, WindowOrder::kTapByTap));
    if (channels_last) {
      OC_ASSIGN_OR_RETURN(y, ctx.Contiguous(ChannelsLast(y)));
    }
    OC_ASSIGN_OR_RETURN(const Tensor steps, Shifted(ctx, y));
    QuantizeOptions options;
    options.output = ctx.Input(kX).dtype();
    OC_ASSIGN_OR_RETURN(Tensor rounded,
                        QuantizeTensor(ctx, steps, Tensor::Scalar(1.0f), nullptr, options));
    return ctx.SetOutput(0, std::move(rounded));
  };
}

}  // namespace

void RegisterContribQLinearAveragePool(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearAveragePool", {1}, QLinearAveragePool);
}

}  // namespace onnxcmp

#include "evaluator/op_registry.h"
#include "ops/common/pooling.h"
#include "ops/common/quantized_operator.h"
#include "ops/common/views.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kXZero, kYScale, kYZero };

// QLinearAveragePool (com.microsoft 1): the means of the real values in windows, of (N, C, D1, ...)
// or, with channels_last, (N, D1, ..., C). As onnxruntime, and other than AveragePool of ai.onnx,
// count_include_pad divides by the kernel's size, also where ceil_mode goes beyond the padding.
Kernel QlinearAveragePool(const KernelInit& node) {
  const bool channels_last = node.Flag("channels_last");
  const PoolDivisor divisor =
      node.Flag("count_include_pad") ? PoolDivisor::kTaps : PoolDivisor::kInputs;
  return [=, attributes = WindowAttributes(node)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor x, RealInput(ctx, {kX, kXScale, kXZero}));
    if (channels_last) {
      OC_ASSIGN_OR_RETURN(x, ctx.Contiguous(ChannelsFirst(x)));
    }
    OC_ASSIGN_OR_RETURN(const Windows windows, PlanPool(attributes, x));
    OC_ASSIGN_OR_RETURN(Tensor y, AverageWindows<double>(ctx, x, windows, divisor));
    if (channels_last) {
      OC_ASSIGN_OR_RETURN(y, ctx.Contiguous(ChannelsLast(y)));
    }
    return EmitQuantized(ctx, y, {kYScale, kYZero}, ctx.Input(kX).dtype());
  };
}

}  // namespace

void RegisterContribQlinearAveragePool(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearAveragePool", {1}, QlinearAveragePool);
}

}  // namespace onnxcmp

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kXZero, kYScale, kYZero };

// QLinearGlobalAveragePool (com.microsoft 1): the mean of the real values over the spatial axes of
// (N, C, D1, ...) or, with channels_last, (N, D1, ..., C).
Kernel QLinearGlobalAveragePool(const KernelInit& node) {
  const bool channels_last = node.Flag("channels_last");
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {kX, kXScale, kXZero}));
    if (x.rank() < 3) {
      return absl::InvalidArgumentError(
          absl::StrCat("X must have a rank of at least 3, not ", ctx.Input(kX).TypeString()));
    }
    Axes axes;
    for (int i = 2; i < x.rank(); ++i) axes.push_back(channels_last ? i - 1 : i);
    OC_ASSIGN_OR_RETURN(const Tensor y, Reduce(ctx, x, axes, /*keepdims=*/true, Reduction::kMean));
    return EmitQuantized(ctx, y, {kYScale, kYZero}, ctx.Input(kX).dtype());
  };
}

}  // namespace

void RegisterContribQLinearGlobalAveragePool(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearGlobalAveragePool", {1}, QLinearGlobalAveragePool);
}

}  // namespace onnxcmp

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/reduce.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// Y = (X - mean) / scale.
template <typename C>
absl::Status Normalize(KernelContext& ctx, const Axes& axes,
                       absl::FunctionRef<C(C variance)> scale) {
  const Tensor& x = ctx.Input(0);
  Shape kept = x.shape();
  for (int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  OC_ASSIGN_OR_RETURN(Tensor mean, ctx.Allocate(kDTypeOf<C>, kept));
  OC_ASSIGN_OR_RETURN(Tensor deviation, ctx.Allocate(kDTypeOf<C>, kept));
  if (x.num_elements() > 0) {
    std::vector<C> means(static_cast<size_t>(mean.num_elements()));
    std::vector<C> variances(means.size());
    Moments(ctx.pool(), x, axes, means, variances);
    std::copy(means.begin(), means.end(), mean.mutable_data<C>());
    std::transform(variances.begin(), variances.end(), deviation.mutable_data<C>(), scale);
  }
  const std::array<const Tensor*, 3> inputs = {&x, &mean, &deviation};
  OC_ASSIGN_OR_RETURN(Tensor y,
                      (ElementwiseIn<C>(ctx, inputs, x.dtype(),
                                        [](auto v, auto m, auto d) { return (v - m) / d; })));
  return ctx.SetOutput(0, std::move(y));
}

// MeanVarianceNormalization (ai.onnx 9, 13): Y = (X - mean) / (sqrt(var) + 1e-9) with mean and
// variance over `axes`. The function body computes the variance as the mean of squares less the
// square of the mean, which loses all digits for a large mean and may be negative; here it is the
// mean of the squared deviations.
Kernel MeanVarianceNormalization(const KernelInit& node) {
  return [attribute = node.Ints("axes")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Axes axes, NormalizeAxes(attribute, ctx.Input(0).rank()));
    return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() {
      return Normalize<C>(ctx, axes,
                          [](C variance) { return std::sqrt(variance) + static_cast<C>(1e-9); });
    });
  };
}

// MeanVarianceNormalization (ai.onnx 1, experimental): over N x C x H x W, each channel for itself
// or, with across_channels, all together; Y = (X - mean) / sqrt(var), or X - mean without
// normalize_variance.
Kernel MeanVarianceNormalization1(const KernelInit& node) {
  const bool across_channels = node.Flag("across_channels");
  const bool normalizes_variance = node.Flag("normalize_variance");
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    if (x.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("X must have rank 4, not be ", x.TypeString()));
    }
    const Axes axes = across_channels ? Axes{0, 1, 2, 3} : Axes{0, 2, 3};
    return DispatchFloat(x.dtype(), [&]<typename C>() {
      return Normalize<C>(
          ctx, axes, [=](C variance) { return normalizes_variance ? std::sqrt(variance) : C{1}; });
    });
  };
}

}  // namespace

void RegisterMeanVarianceNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MeanVarianceNormalization", {9, 13}, MeanVarianceNormalization);
  registry.Add(kOnnxDomain, "MeanVarianceNormalization", {1}, MeanVarianceNormalization1);
}

}  // namespace onnxcmp

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/movement/concat.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

// x * factor as dtype, rounded once.
absl::StatusOr<Tensor> Scaled(const KernelContext& ctx, const Tensor& x, double factor,
                              DType dtype) {
  return Elementwise(Floats{}, ctx, std::array<const Tensor*, 1>{&x}, dtype, [factor](auto v) {
    return v * static_cast<typename decltype(v)::Scalar>(factor);
  });
}

// Scale (com.microsoft 1): input * scale, or input / scale if scale_down is set; the scale is one
// number, not 0.
Kernel Scale(const KernelInit& node) {
  return [down = node.Flag("scale_down")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(double scale, ctx.ScalarInput<double>(1));
    if (scale == 0) return absl::InvalidArgumentError("the scale is 0");
    if (down) scale = 1 / scale;
    OC_ASSIGN_OR_RETURN(Tensor y, Scaled(ctx, ctx.Input(0), scale, ctx.Input(0).dtype()));
    return ctx.SetOutput(0, std::move(y));
  };
}

// MixedPrecisionScale (com.microsoft 1): every input times S, cast to the element type `to`; with
// fuse_outputs one vector of all their elements.
absl::StatusOr<Kernel> MixedPrecisionScale(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const DType to, DTypeFromNumber(node.Int("to")));
  if (!IsFloatingPoint(to)) {
    return absl::InvalidArgumentError(
        absl::StrCat("to is no floating point type: ", DTypeName(to)));
  }
  return [to, fuse = node.Flag("fuse_outputs")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const double scale, ctx.ScalarInput<double>(0));
    std::vector<Tensor> outputs;
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      OC_ASSIGN_OR_RETURN(Tensor y, Scaled(ctx, ctx.Input(i), scale, to));
      outputs.push_back(fuse ? y.Reshaped({y.num_elements()}) : std::move(y));
    }
    if (fuse) {
      OC_ASSIGN_OR_RETURN(Tensor all, Concatenated(ctx, outputs, 0));
      return ctx.SetOutput(0, std::move(all));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(static_cast<int>(i), std::move(outputs[i])));
    }
    return absl::OkStatus();
  };
}

// ScaledSum (com.microsoft 1): scale_0 * input_0 + scale_1 * input_1 + scale_2 * input_2, of one
// shape; the third is optional.
Kernel ScaledSum(const KernelInit& node) {
  const float scales[] = {node.Float("scale_0"), node.Float("scale_1"), node.Float("scale_2", 0)};
  return [a = scales[0], b = scales[1], c = scales[2]](KernelContext& ctx) -> absl::Status {
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (ctx.HasInput(i) && ctx.Input(i).shape() != ctx.Input(0).shape()) {
        return absl::InvalidArgumentError(absl::StrCat("input_0 is ", ctx.Input(0).TypeString(),
                                                       ", input_", i, " is ",
                                                       ctx.Input(i).TypeString()));
      }
    }
    if (!ctx.HasInput(2)) {
      return EmitBinary<Floats>(ctx, [=](auto x, auto y) {
        using T = typename decltype(x)::Scalar;
        return x * T{a} + y * T{b};
      });
    }
    const auto f = [=](auto x, auto y, auto z) {
      using T = typename decltype(x)::Scalar;
      return x * T{a} + y * T{b} + z * T{c};
    };
    return EmitStrips(ctx, {&ctx.Input(0), &ctx.Input(1), &ctx.Input(2)},
                      kStripKernels<Floats, 3, decltype(f)>, &f, DType::kUndefined);
  };
}

// BatchScale (com.microsoft 1): input * scale_i for each output i.
absl::StatusOr<Kernel> BatchScale(const KernelInit& node) {
  const std::array<float, 3> scales = {node.Float("scale_0"), node.Float("scale_1"),
                                       node.Float("scale_2", 0)};
  if (node.HasOutput(2) && !node.Has("scale_2")) {
    return absl::InvalidArgumentError("output_2 needs the attribute scale_2");
  }
  return [scales](KernelContext& ctx) -> absl::Status {
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      OC_ASSIGN_OR_RETURN(Tensor y, Scaled(ctx, ctx.Input(0), scales[static_cast<size_t>(i)],
                                           ctx.Input(0).dtype()));
      OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(y)));
    }
    return absl::OkStatus();
  };
}

}  // namespace

void RegisterTrainingScaling(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BatchScale", {1}, BatchScale);
  registry.Add(kMicrosoftDomain, "MixedPrecisionScale", {1}, MixedPrecisionScale);
  registry.Add(kMicrosoftDomain, "Scale", {1}, Scale);
  registry.Add(kMicrosoftDomain, "ScaledSum", {1}, ScaledSum);
}

}  // namespace onnxcmp

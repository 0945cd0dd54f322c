#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Run(KernelContext& ctx, C low, C high) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const C scale, ctx.ScalarInput<C>(1));
  OC_ASSIGN_OR_RETURN(const C given_zero, ctx.ScalarInput<C>(2));
  if (scale == 0) return absl::InvalidArgumentError("the scale is 0");
  const C zero = std::trunc(given_zero);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, x.shape()));
  OC_ASSIGN_OR_RETURN(Tensor mask, ctx.Allocate(DType::kBool, x.shape()));
  C* out = y.mutable_data<C>();
  bool* inside = mask.mutable_data<bool>();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const C quantized = std::nearbyint(x.data<C>()[i] / scale) + zero;
    inside[i] = low <= quantized && quantized <= high;
    out[i] = ((quantized < low ? low : quantized > high ? high : quantized) - zero) * scale;
  }
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  return ctx.SetOutput(1, std::move(mask));
}

// FakeQuant (com.microsoft 1): with q = round(input / scale) + zero_point, ties to even,
// output = (clamp(q, quant_min, quant_max) - zero_point) * scale; the mask is true where q was not
// clamped. NaN stays NaN.
absl::StatusOr<Kernel> FakeQuant(const KernelInit& node) {
  const int64_t low = node.Int("quant_min");
  const int64_t high = node.Int("quant_max");
  if (low >= high) {
    return absl::InvalidArgumentError(
        absl::StrCat("quant_min ", low, " is not below quant_max ", high));
  }
  return FloatKernel(0, [=]<typename C>(KernelContext& ctx) {
    return Run<C>(ctx, static_cast<C>(low), static_cast<C>(high));
  });
}

// FakeQuantGrad (com.microsoft 1): dX = dY where the mask is true, else 0.
absl::Status FakeQuantGrad(KernelContext& ctx) {
  const Tensor& dy = ctx.Input(0);
  if (ctx.Input(1).shape() != dy.shape()) {
    return absl::InvalidArgumentError(
        absl::StrCat("dY is ", dy.TypeString(), ", the mask ", ctx.Input(1).TypeString()));
  }
  OC_ASSIGN_OR_RETURN(const Tensor mask, LoadTensor<float>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor factors, StoreTensor<float>(ctx, mask, dy.dtype()));
  return EmitBinary<Floats>(ctx, dy, factors, [](auto gradient, auto factor) {
    using T = typename decltype(factor)::Scalar;
    return gradient.binaryExpr(factor, [](T value, T keep) { return keep != 0 ? value : T{0}; });
  });
}

}  // namespace

void RegisterTrainingFakeQuant(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FakeQuant", {1}, FakeQuant);
  registry.Add(kMicrosoftDomain, "FakeQuantGrad", {1}, FakeQuantGrad);
}

}  // namespace onnxcmp

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/traditionalml/feature_attribute.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Tensor> Impute(KernelContext& ctx, const Tensor& imputed, float replaced) {
  const Tensor& x = ctx.Input(0);
  const std::array<const Tensor*, 2> inputs = {&x, &imputed};
  return Dispatch<Floats>(x.dtype(), [&]<typename C>() -> absl::StatusOr<Tensor> {
    if (std::isnan(replaced)) {
      return ElementwiseIn<C>(ctx, inputs, x.dtype(),
                              [](auto v, auto by) { return v.isNaN().select(by, v); });
    }
    return ElementwiseIn<C>(ctx, inputs, x.dtype(), [replaced](auto v, auto by) {
      return (v == C{replaced}).select(by, v);
    });
  });
}

absl::StatusOr<Tensor> Impute(KernelContext& ctx, const Tensor& imputed, int64_t replaced) {
  const Tensor& x = ctx.Input(0);
  return ElementwiseIn<int64_t>(
      ctx, std::array<const Tensor*, 2>{&x, &imputed}, x.dtype(),
      [replaced](auto v, auto by) { return (v == replaced).select(by, v); });
}

// Imputer (ai.onnx.ml 1): Y = imputed_value where X equals replaced_value, else X. There is one
// imputed value, or one a feature (the last axis); NaN replaces NaN. Floating-point inputs take the
// attributes of floats, integers those of int64.
absl::StatusOr<Kernel> Imputer(const KernelInit& node) {
  const std::vector<float> floats = node.Floats("imputed_value_floats");
  const std::vector<int64_t> ints = node.Ints("imputed_value_int64s");
  const float replaced_float = node.Float("replaced_value_float");
  const int64_t replaced_int = node.Int("replaced_value_int64");
  if (floats.empty() == ints.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(floats.empty() ? "neither" : "both",
                     " of imputed_value_floats and imputed_value_int64s are there"));
  }
  const bool fits_int32 = std::all_of(ints.begin(), ints.end(), [](int64_t v) {
    return v == static_cast<int64_t>(static_cast<int32_t>(v));
  });
  const Tensor imputed = floats.empty() ? FeatureAttribute(ints) : FeatureAttribute(floats);
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_RETURN_IF_ERROR(CheckFeatures("the imputed value", imputed, x));
    if (IsSignedInteger(x.dtype()) == ints.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("the input is ", x.TypeString(),
                                                     ", the imputed values are ",
                                                     DTypeName(imputed.dtype())));
    }
    if (x.dtype() == DType::kInt32 && !fits_int32) {
      return absl::InvalidArgumentError("an imputed value does not fit into int32");
    }
    OC_ASSIGN_OR_RETURN(Tensor y, ints.empty() ? Impute(ctx, imputed, replaced_float)
                                               : Impute(ctx, imputed, replaced_int));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMlImputer(OpRegistry& registry) { registry.Add(kMlDomain, "Imputer", {1}, Imputer); }

}  // namespace onnxcmp

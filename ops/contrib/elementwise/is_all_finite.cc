#include <algorithm>
#include <array>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// IsAllFinite (com.microsoft 1; for training, no CPU kernel in onnxruntime): whether no element of
// any input is infinite or NaN, or with isinf_only infinite, or with isnan_only NaN.
absl::StatusOr<Kernel> IsAllFinite(const KernelInit& node) {
  const bool inf_only = node.Flag("isinf_only");
  const bool nan_only = node.Flag("isnan_only");
  if (inf_only && nan_only) {
    return absl::InvalidArgumentError("both isinf_only and isnan_only are set");
  }
  return [=](KernelContext& ctx) -> absl::Status {
    // True for elements that are sought; v - v is NaN for infinities.
    const auto is_found = [=](auto x) {
      using T = typename decltype(x)::Scalar;
      vec::Strip<T> v = x;
      if (inf_only) v = (v == v).select(v, T{0});
      if (!nan_only) v = (v - v).eval();
      return (v != v).eval();
    };
    bool all = true;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (!ctx.HasInput(i)) continue;
      const std::array<const Tensor*, 1> inputs = {&ctx.Input(i)};
      OC_ASSIGN_OR_RETURN(const Tensor found,
                          Elementwise(Floats{}, ctx, inputs, DType::kBool, is_found));
      const bool* elements = found.data<bool>();
      all =
          all && std::none_of(elements, elements + found.num_elements(), [](bool b) { return b; });
    }
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kBool, {}));
    *result.mutable_data<bool>() = all;
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterContribIsAllFinite(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "IsAllFinite", {1}, IsAllFinite);
}

}  // namespace onnxcmp

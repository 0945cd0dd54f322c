#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

absl::Status CheckSameShape(const Tensor& sum, const Tensor& value) {
  if (sum.shape() == value.shape()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("cannot add ", value.TypeString(), " to ", sum.TypeString(), " in place"));
}

// sum + value, of sum's type.
absl::StatusOr<Tensor> Accumulated(const KernelContext& ctx, const Tensor& sum,
                                   const Tensor& value) {
  return Elementwise(Floats{}, ctx, std::array<const Tensor*, 2>{&sum, &value}, sum.dtype(),
                     [](auto a, auto b) { return a + b; });
}

// InPlaceAccumulator (com.microsoft 1): old_sum + value, or old_sum if update_signal is false.
absl::Status InPlaceAccumulator(KernelContext& ctx) {
  const Tensor& sum = ctx.Input(0);
  const Tensor& value = ctx.Input(1);
  OC_RETURN_IF_ERROR(CheckSameShape(sum, value));
  if (ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(const bool update, ctx.ScalarInput<bool>(2));
    if (!update) return ctx.SetOutput(0, sum);
  }
  OC_ASSIGN_OR_RETURN(Tensor new_sum, Accumulated(ctx, sum, value));
  return ctx.SetOutput(0, std::move(new_sum));
}

// InPlaceAccumulatorV2 (com.microsoft 1): outputs true, as a vector of one element, and
// accumulation_buffer + value, or value if overwrite_flag is true. The input keeps its value, as
// every tensor does here.
absl::Status InPlaceAccumulatorV2(KernelContext& ctx) {
  const Tensor& sum = ctx.Input(0);
  const Tensor& value = ctx.Input(1);
  OC_RETURN_IF_ERROR(CheckSameShape(sum, value));
  bool overwrite = false;
  if (ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(overwrite, ctx.ScalarInput<bool>(2));
  }
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, Tensor::Of<bool>({1}, {true})));
  if (!ctx.HasOutput(1)) return absl::OkStatus();
  Tensor result;
  if (overwrite) {
    OC_ASSIGN_OR_RETURN(
        result, Elementwise(Floats{}, ctx, std::array<const Tensor*, 1>{&value}, sum.dtype(),
                            [](auto x) { return x * typename decltype(x)::Scalar{1}; }));
  } else {
    OC_ASSIGN_OR_RETURN(result, Accumulated(ctx, sum, value));
  }
  return ctx.SetOutput(1, std::move(result));
}

// ZeroGradient (com.microsoft 1): zeros of the shape of old_gradient. reset_signal only says when.
absl::Status ZeroGradient(KernelContext& ctx) {
  ctx.IgnoreInput(1);
  OC_ASSIGN_OR_RETURN(Tensor zeros, ctx.Allocate(ctx.Input(0).dtype(), ctx.Input(0).shape()));
  FillWithZeros(&zeros);
  return ctx.SetOutput(0, std::move(zeros));
}

}  // namespace

void RegisterTrainingAccumulators(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "InPlaceAccumulator", {1}, InPlaceAccumulator);
  registry.Add(kMicrosoftDomain, "InPlaceAccumulatorV2", {1}, InPlaceAccumulatorV2);
  registry.Add(kMicrosoftDomain, "ZeroGradient", {1}, ZeroGradient);
}

}  // namespace onnxcmp

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/elementwise/bias.h"

namespace onnxcmp {
namespace {

// BiasSplitGelu (com.microsoft 1): Y = left * Gelu(right), the halves of X + bias along the last
// dimension; X (N, S, D), bias (D), Y (N, S, D / 2). Gelu is the exact one. Narrow floats are
// computed in float and rounded once.
absl::Status BiasSplitGelu(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  const Tensor& bias = ctx.Input(1);
  if (x.rank() != 3 || x.dim(2) % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have rank 3 and an even last dimension, not ", x.TypeString()));
  }
  OC_RETURN_IF_ERROR(CheckBias(x, bias));
  const int64_t half = x.dim(2) / 2;
  const Tensor left = Narrowed(x, 2, 0, half);
  const Tensor right = Narrowed(x, 2, half, half);
  const Tensor left_bias = Narrowed(bias, 0, 0, half);
  const Tensor right_bias = Narrowed(bias, 0, half, half);
  OC_ASSIGN_OR_RETURN(
      Tensor y, (Elementwise(Floats{}, ctx,
                             std::array<const Tensor*, 4>{&left, &left_bias, &right, &right_bias},
                             x.dtype(), [](auto a, auto a_bias, auto b, auto b_bias) {
                               return (a + a_bias) * vec::Gelu(b + b_bias);
                             })));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterContribBiasSplitGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BiasSplitGelu", {1}, BiasSplitGelu);
}

}  // namespace onnxcmp

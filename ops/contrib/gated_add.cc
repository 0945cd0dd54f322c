#include <array>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// GatedAdd (com.microsoft 1): output = X + Y * gate, the product rounded to the type of Y. X and Y
// (..., C), gate (..., 1).
absl::Status GatedAdd(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  const Tensor& y = ctx.Input(1);
  const Tensor& gate = ctx.Input(2);
  Shape gate_shape = x.shape();
  if (!gate_shape.empty()) gate_shape.back() = 1;
  if (x.rank() < 1 || y.shape() != x.shape() || gate.shape() != gate_shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("X (..., C), Y (..., C) and gate (..., 1) do not fit: ", x.TypeString(), ", ",
                     y.TypeString(), " and ", gate.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(const Tensor product,
                      (Elementwise(Floats{}, ctx, std::array<const Tensor*, 2>{&y, &gate},
                                   y.dtype(), [](auto a, auto b) { return a * b; })));
  return EmitBinary<Floats>(ctx, x, product, [](auto a, auto b) { return a + b; });
}

}  // namespace

void RegisterContribGatedAdd(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatedAdd", {1}, GatedAdd);
}

}  // namespace onnxcmp

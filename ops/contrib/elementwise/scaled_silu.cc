#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// ScaledSiLU (com.microsoft 1): Z = scale * X, S = Sigmoid(Z), Y = Z * S, each rounded to the type
// of X. The input `scale`, a scalar, takes the place of the attribute `alpha`.
Kernel ScaledSilu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return [alpha](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    double scale = alpha;
    if (ctx.HasInput(1)) {
      if (ctx.Input(1).rank() != 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("scale must be a scalar, not ", ctx.Input(1).TypeString()));
      }
      OC_ASSIGN_OR_RETURN(scale, ctx.ScalarInput<double>(1));
    }
    OC_ASSIGN_OR_RETURN(
        const Tensor z,
        (Elementwise(Floats{}, ctx, std::array<const Tensor*, 1>{&x}, x.dtype(), [scale](auto v) {
          return v * static_cast<typename decltype(v)::Scalar>(scale);
        })));
    OC_ASSIGN_OR_RETURN(const Tensor gate,
                        (Elementwise(Floats{}, ctx, std::array<const Tensor*, 1>{&z}, x.dtype(),
                                     [](auto v) { return vec::Sigmoid(v); })));
    return EmitBinary<Floats>(ctx, z, gate, [](auto a, auto b) { return a * b; });
  };
}

}  // namespace

void RegisterContribScaledSilu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "ScaledSiLU", {1}, ScaledSilu);
}

}  // namespace onnxcmp

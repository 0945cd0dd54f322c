#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// BiasGelu (com.microsoft 1): C = Gelu(A + B), B being a vector of the size of A's last dimension.
absl::Status BiasGelu(KernelContext& ctx) {
  const Tensor& a = ctx.Input(0);
  const Tensor& b = ctx.Input(1);
  if (b.rank() != 1 || a.rank() < 1 || a.shape().back() != b.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the bias must be a vector of the size of the last dimension of A, but A is [",
                     ShapeToString(a.shape()), "] and B [", ShapeToString(b.shape()), "]"));
  }
  return EmitBinary<Floats>(ctx, [](auto x, auto bias) { return vec::Gelu(x + bias); });
}

}  // namespace

void RegisterContribBiasGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BiasGelu", {1}, BiasGelu);
}

}  // namespace onnxcmp

#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/elementwise/emit_function.h"
#include "ops/common/functions/gelu_tanh.h"

namespace onnxcmp {
namespace {

// Gelu (ai.onnx 20): Y = 0.5 * X * (1 + erf(X / sqrt(2))), or with `approximate` = "tanh"
// 0.5 * X * (1 + tanh(sqrt(2 / pi) * (X + 0.044715 * X^3))).
absl::StatusOr<Kernel> Gelu(const KernelInit& node) {
  const std::string approximate = node.String("approximate");
  if (approximate == "none") {
    return [](KernelContext& ctx) { return EmitFunction(ctx, {vec::Gelu, vec::Gelu}); };
  }
  if (approximate != "tanh") {
    return absl::InvalidArgumentError(
        absl::StrCat("approximate must be none or tanh, not ", approximate));
  }
  return [](KernelContext& ctx) { return EmitFunction(ctx, {GeluTanh, GeluTanh}); };
}

}  // namespace

void RegisterGelu(OpRegistry& registry) { registry.Add(kOnnxDomain, "Gelu", {20}, Gelu); }

}  // namespace onnxcmp

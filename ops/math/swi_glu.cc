#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// SwiGLU (ai.onnx 28): Y = A * sigmoid(alpha * A) * B, for A and B of one shape. The function body
// rounds Swish(A) to the type first.
Kernel SwiGlu(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  return [alpha](KernelContext& ctx) -> absl::Status {
    if (ctx.Input(0).shape() != ctx.Input(1).shape()) {
      return absl::InvalidArgumentError(absl::StrCat("A is ", ctx.Input(0).TypeString(),
                                                     ", but B is ", ctx.Input(1).TypeString(),
                                                     "; their shapes must be the same"));
    }
    return EmitBinary<Floats>(ctx, [alpha](auto a, auto b) {
      using T = typename decltype(a)::Scalar;
      return a * vec::Sigmoid(a * T{alpha}) * b;
    });
  };
}

}  // namespace

void RegisterSwiGlu(OpRegistry& registry) { registry.Add(kOnnxDomain, "SwiGLU", {28}, SwiGlu); }

}  // namespace onnxcmp

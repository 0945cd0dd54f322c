#include <array>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/elementwise/emit_function.h"

namespace onnxcmp {
namespace {

// Erf (ai.onnx 9, 13): Y = erf(X). Version 9 takes integers too: the result is truncated.
absl::Status Erf(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  if (IsInteger(x.dtype())) {
    OC_ASSIGN_OR_RETURN(Tensor y,
                        ElementwiseIn<double>(ctx, std::array<const Tensor*, 1>{&x}, x.dtype(),
                                              [](auto strip) { return vec::Erf(strip); }));
    return ctx.SetOutput(0, std::move(y));
  }
  return EmitFunction(ctx, {vec::Erf, vec::Erf});
}

}  // namespace

void RegisterErf(OpRegistry& registry) { registry.Add(kOnnxDomain, "Erf", {9, 13}, Erf); }

}  // namespace onnxcmp

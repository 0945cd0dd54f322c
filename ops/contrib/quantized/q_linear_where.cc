#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs { kCondition, kX, kXScale, kXZero, kY, kYScale, kYZero, kZScale, kZZero };

// QLinearWhere (com.microsoft 1): Z = condition ? X : Y of the real values, in float, all three
// broadcast.
absl::Status QLinearWhere(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {kX, kXScale, kXZero}, DType::kFloat));
  OC_ASSIGN_OR_RETURN(const Tensor y, RealInput(ctx, {kY, kYScale, kYZero}, DType::kFloat));
  OC_ASSIGN_OR_RETURN(const Tensor z,
                      (ElementwiseIn<float, 3>(ctx, {&ctx.Input(kCondition), &x, &y}, DType::kFloat,
                                               [](auto chosen, auto a, auto b) {
                                                 return (chosen != 0.0f).select(a, b);
                                               })));
  return EmitQuantized(ctx, z, {kZScale, kZZero}, ctx.Input(kX).dtype());
}

}  // namespace

void RegisterContribQLinearWhere(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearWhere", {1}, QLinearWhere);
}

}  // namespace onnxcmp

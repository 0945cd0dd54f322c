#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/integer_product.h"

namespace onnxcmp {
namespace {

enum Inputs { kA, kB, kAScale, kBScale, kAZero, kBZero, kBias };

// MatMulIntegerToFloat (com.microsoft 1):
//   Y = numpy.matmul((A - a_zero_point) * a_scale, (B - b_zero_point) * b_scale) + bias
// with parameters for all of A or for its rows, for all of B or for its columns.
absl::Status MatMulIntegerToFloat(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(Tensor y, RealProduct(ctx, FactorFromInputs(ctx, kA, kAScale, kAZero),
                                            FactorFromInputs(ctx, kB, kBScale, kBZero),
                                            ctx.HasInput(kBias) ? &ctx.Input(kBias) : nullptr,
                                            ctx.Input(kAScale).dtype()));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterContribMatMulIntegerToFloat(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulIntegerToFloat", {1}, MatMulIntegerToFloat);
}

}  // namespace onnxcmp

#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

enum Inputs { kA, kAZero, kB, kBZero };

// MulInteger (com.microsoft 1): C = (A - A_zero_point) * (B - B_zero_point) in int32, broadcast.
// onnxruntime has the schema and no kernel.
absl::Status MulInteger(KernelContext& ctx) {
  const auto zero_point = [&](int index) {
    return ctx.HasInput(index) ? ctx.ScalarInput<int64_t>(index) : int64_t{0};
  };
  OC_ASSIGN_OR_RETURN(const int64_t a_zero, zero_point(kAZero));
  OC_ASSIGN_OR_RETURN(const int64_t b_zero, zero_point(kBZero));
  OC_ASSIGN_OR_RETURN(Tensor c, (ElementwiseIn<int64_t, 2>(
                                    ctx, {&ctx.Input(kA), &ctx.Input(kB)}, DType::kInt32,
                                    [=](auto a, auto b) { return (a - a_zero) * (b - b_zero); })));
  return ctx.SetOutput(0, std::move(c));
}

}  // namespace

void RegisterContribMulInteger(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MulInteger", {1}, MulInteger);
}

}  // namespace onnxcmp

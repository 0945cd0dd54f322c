#include <type_traits>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Neg (ai.onnx 1, 6, 13): Y = -X. The least integer wraps around to itself.
absl::Status Neg(KernelContext& ctx) {
  return EmitUnary<Wrapping>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    if constexpr (std::is_floating_point_v<T>) {
      return x * T{-1};  // Eigen's -x is 0 - x, which makes 0 of 0 and not -0
    } else {
      return -x;
    }
  });
}

}  // namespace

void RegisterNeg(OpRegistry& registry) { registry.Add(kOnnxDomain, "Neg", {1, 6, 13}, Neg); }

}  // namespace onnxcmp

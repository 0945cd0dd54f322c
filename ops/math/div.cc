#include <cstdint>
#include <type_traits>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Quotients of integers, towards zero. Those that C leaves undefined are as NumPy has them: x / 0 =
// 0, and the least value divided by -1 wraps around to itself.
template <typename T>
T Quotient(T a, T b) {
  if (b == 0) {
    return 0;
  }
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) {
      return static_cast<T>(-static_cast<uint64_t>(a));
    }
  }
  return a / b;
}

// Div (ai.onnx 1, 6, 7, 13, 14): C = A / B, broadcast.
Kernel Div(const KernelInit& node) {
  return BinaryKernel<Numbers>(node, [](auto a, auto b) {
    using T = typename decltype(a)::Scalar;
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      return a.binaryExpr(b, &Quotient<T>);
    }
  });
}

}  // namespace

void RegisterDiv(OpRegistry& registry) { registry.Add(kOnnxDomain, "Div", {1, 6, 7, 13, 14}, Div); }

}  // namespace onnxcmp

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// The remainder of integers, with the sign of the dividend.
template <typename T>
T Remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) {
      return 0;  // the least integer divided by -1 overflows
    }
  }
  return b == 0 ? 0 : a % b;
}

// With the sign of the divisor.
template <std::integral T>
T Modulo(T a, T b) {
  const T remainder = Remainder(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// The same of floats: a - floor(a / b) * b in exact numbers, rounded once. A zero has the sign of b
// too; of an infinite b the result is a or b.
template <std::floating_point T>
T Modulo(T a, T b) {
  const T remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(remainder, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

absl::Status FlooredMod(KernelContext& ctx) {
  return EmitBinary<Numbers>(
      ctx, [](auto a, auto b) { return a.binaryExpr(b, &Modulo<typename decltype(a)::Scalar>); });
}

absl::Status FlooredModOfIntegers(KernelContext& ctx) {
  if (IsFloatingPoint(ctx.Input(0).dtype())) {
    return absl::InvalidArgumentError("before opset 28, Mod of floats needs fmod = 1");
  }
  return FlooredMod(ctx);
}

absl::Status TruncatedMod(KernelContext& ctx) {
  return EmitBinary<Numbers>(ctx, [](auto a, auto b) {
    using T = typename decltype(a)::Scalar;
    if constexpr (std::is_floating_point_v<T>) {
      return a.binaryExpr(b, [](T x, T y) { return std::fmod(x, y); });
    } else {
      return a.binaryExpr(b, &Remainder<T>);
    }
  });
}

// Mod (ai.onnx 10, 13, 28): C = A - floor(A / B) * B, broadcast, with the sign of B; if `fmod` is
// set, which floats require before 28, A - trunc(A / B) * B, with the sign of A. What the
// specification leaves open is as in NumPy: integers modulo 0 are 0.
Kernel Mod(const KernelInit& node) {
  if (node.Flag("fmod")) return TruncatedMod;
  return node.version() >= 28 ? FlooredMod : FlooredModOfIntegers;
}

}  // namespace

void RegisterMod(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Mod", AllVersions(10, 28), Mod);
}

}  // namespace onnxcmp

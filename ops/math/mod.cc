#include <cmath>
#include <cstdint>
#include <type_traits>

#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// Of integers, with the sign of the dividend.
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
template <typename T>
T Modulo(T a, T b) {
  const T remainder = Remainder(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

absl::Status FloorMod(KernelContext& ctx) {
  if (IsFloatingPoint(ctx.Input(0).dtype())) {
    return absl::InvalidArgumentError("Mod of floating-point numbers needs fmod = 1");
  }
  return EmitBinary<Classes<int64_t, uint64_t>>(
      ctx, [](auto a, auto b) { return a.binaryExpr(b, &Modulo<typename decltype(a)::Scalar>); });
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

// Mod (ai.onnx 10, 13): C = the remainder of A / B, broadcast, with the sign of B, or with that of
// A if `fmod` is set, which floats require. What the specification leaves open is as in NumPy:
// integers modulo 0 are 0.
Kernel Mod(const KernelInit& node) { return node.Flag("fmod") ? TruncatedMod : FloorMod; }

}  // namespace

void RegisterMod(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Mod", AllVersions(10, 13), Mod);
}

}  // namespace onnxcmp

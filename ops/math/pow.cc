#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Modulo 2^64, by squaring. A negative exponent is 1 / base^|exponent| in integers, where 1 / 0 is
// 0 as it is for Div.
template <typename Exponent>
int64_t IntegerPower(int64_t base, Exponent exponent) {
  if constexpr (std::is_signed_v<Exponent>) {
    if (exponent < 0) {
      const int64_t odd_sign = exponent % 2 == 0 ? 1 : -1;
      return base == 1 ? 1 : base == -1 ? odd_sign : 0;
    }
  }
  uint64_t power = 1;
  uint64_t square = static_cast<uint64_t>(base);
  for (uint64_t rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) {
      power *= square;
    }
    square *= square;
  }
  return static_cast<int64_t>(power);
}

absl::StatusOr<Tensor> Power(const KernelContext& ctx, const Tensor& base, const Tensor& exponent) {
  const std::array<const Tensor*, 2> inputs = {&base, &exponent};
  const auto pow = [](auto x, auto y) { return vec::Pow(x, y); };
  if (IsInteger(base.dtype()) && exponent.dtype() == DType::kUint64) {
    return ElementwiseIn<uint64_t>(ctx, inputs, base.dtype(), [](auto x, auto y) {
      return x.binaryExpr(y, [](uint64_t b, uint64_t e) {
        return static_cast<uint64_t>(IntegerPower(static_cast<int64_t>(b), e));
      });
    });
  }
  if (IsInteger(base.dtype()) && IsInteger(exponent.dtype())) {
    return ElementwiseIn<int64_t>(ctx, inputs, base.dtype(), [](auto x, auto y) {
      return x.binaryExpr(y, &IntegerPower<int64_t>);
    });
  }
  // float holds the exponents of these types exactly. The others need double, which is also what
  // an integer base to a power of floating point is computed in.
  const bool in_float = ComputeClassOf(base.dtype()) == ComputeClass::kFloat &&
                        (ComputeClassOf(exponent.dtype()) == ComputeClass::kFloat ||
                         BitWidth(exponent.dtype()) <= 16);
  return in_float ? ElementwiseIn<float>(ctx, inputs, base.dtype(), pow)
                  : ElementwiseIn<double>(ctx, inputs, base.dtype(), pow);
}

// Pow (ai.onnx 1, 7, 12, 13, 15): Z = X ^ Y, broadcast, of the dtype of X. Integers to integer
// powers are exact modulo 2^64; to others they are computed in double and truncated, as in NumPy.
Kernel Pow(const KernelInit& node) {
  return WithLegacyBroadcast(
      node, [](KernelContext& ctx, const Tensor& base, const Tensor& exponent) -> absl::Status {
        OC_ASSIGN_OR_RETURN(Tensor power, Power(ctx, base, exponent));
        return ctx.SetOutput(0, std::move(power));
      });
}

}  // namespace

void RegisterPow(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Pow", {1, 7, 12, 13, 15}, Pow);
}

}  // namespace onnxcmp

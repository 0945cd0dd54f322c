// Functions that are formulas of exp, tanh and erf, of packets of floats and of doubles.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_FORMULAS_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_FORMULAS_H_

#include "ops/common/functions/packet.h"

namespace onnxcmp::vec {
namespace ONNXCMP_INSTRUCTIONS {

// 1 / (1 + e^-x), without overflow: e^x / (1 + e^x) for negative x.
template <typename T, typename V, typename Exp>
[[gnu::always_inline]] inline V SigmoidBy(Exp exp, V v) {
  const auto one = Fill(T{1});
  const auto zero = Fill(T{0});
  const V e = exp(-Magnitude(v));
  return IfLess(v, zero, e, one) / (one + e);
}

// x / 2 * (1 + erf(x / sqrt(2))).
template <typename T, typename V, typename Erf>
[[gnu::always_inline]] inline V GeluBy(Erf erf, V v) {
  const auto sqrt_half = Fill(static_cast<T>(0.70710678118654752440));
  return Fill(T{0.5}) * v * (Fill(T{1}) + erf(v * sqrt_half));
}

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
template <typename T, typename V, typename Tanh>
[[gnu::always_inline]] inline V GeluTanhBy(Tanh tanh, V v) {
  const auto scale = Fill(static_cast<T>(0.79788456080286535588));  // sqrt(2 / pi)
  const V z = (v * v * v * Fill(static_cast<T>(0.044715)) + v) * scale;
  return v * Fill(T{0.5}) * (tanh(z) + Fill(T{1}));
}

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp::vec

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_FORMULAS_H_

// The approximation of Gelu by tanh, which Gelu and its fused forms share; the exact one is
// vec::Gelu.
#ifndef ONNXCMP_OPS_COMMON_GELU_H_
#define ONNXCMP_OPS_COMMON_GELU_H_

#include <Eigen/Core>

#include "ops/common/vector_math.h"

namespace onnxcmp {

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) over a strip. NaN for -infinity, as the
// formula has it.
template <typename Derived>
auto GeluTanh(const Eigen::ArrayBase<Derived>& strip) {
  using T = typename Derived::Scalar;
  constexpr T kScale{0.79788456080286535588};  // sqrt(2 / pi)
  const auto& x = strip.derived();
  return x * T{0.5} * (vec::Tanh((x * x * x * T(0.044715) + x) * kScale) + T{1});
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_GELU_H_

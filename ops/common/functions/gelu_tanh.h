// The approximation of Gelu by tanh, which Gelu and its fused forms share; the exact one is
// vec::Gelu.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_GELU_TANH_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_GELU_TANH_H_

#include <cstdint>

#include <Eigen/Core>

#include "ops/common/functions/vector_math.h"

namespace onnxcmp {

// y[i] = 0.5 * x[i] * (1 + tanh(sqrt(2 / pi) * (x[i] + 0.044715 * x[i]^3))); y may be x. NaN for
// -infinity, as the formula has it. Defined in vector_math.cc.
void GeluTanh(const float* x, int64_t count, float* y);
void GeluTanh(const double* x, int64_t count, double* y);

// The same over a strip.
template <typename Derived>
vec::StripValue<typename Derived::Scalar> GeluTanh(const Eigen::ArrayBase<Derived>& x) {
  vec::Strip<typename Derived::Scalar> y = x;
  GeluTanh(y.data(), y.size(), y.data());
  return vec::StripValue<typename Derived::Scalar>(y);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_GELU_TANH_H_

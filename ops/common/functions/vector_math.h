// The elementary functions over arrays, vectorised (SLEEF, within 1 ULP, right at infinities, NaN,
// -0 and denormals). A value depends on its argument alone, not on where it lies or on what lies
// beside it; so kernels use these and neither <cmath> nor Eigen's functions, and agree with each
// other.
//
//   vec::Exp(x, count, y);             // pointers, any alignment; y may be x
//   y = vec::Exp(-x) / 2.0f;           // Eigen arrays of at most kMaxStrip elements, by value
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_VECTOR_MATH_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_VECTOR_MATH_H_

#include <cstdint>

#include <Eigen/Core>

namespace onnxcmp::vec {

// The longest array that elementwise kernels compute on at a time.
inline constexpr int64_t kMaxStrip = 512;

// An array of up to kMaxStrip elements that needs no allocation.
template <typename T>
using Strip = Eigen::Array<T, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxStrip, 1>;
// The result of functions: a strip that expressions hold by value. (A plain array they hold by its
// address, so that a lambda which returns `x * f(x)` would return a dangling pointer.)
template <typename T>
using StripValue = Eigen::NestByValue<Strip<T>>;

// y[i] = f(x[i]).
#define ONNXCMP_VEC_UNARY(Name)                                                   \
  void Name(const float* x, int64_t count, float* y);                             \
  void Name(const double* x, int64_t count, double* y);                           \
  template <typename Derived>                                                     \
  StripValue<typename Derived::Scalar> Name(const Eigen::ArrayBase<Derived>& x) { \
    Strip<typename Derived::Scalar> y = x;                                        \
    Name(y.data(), y.size(), y.data());                                           \
    return StripValue<typename Derived::Scalar>(y);                               \
  }
ONNXCMP_VEC_UNARY(Exp)
ONNXCMP_VEC_UNARY(Expm1)
ONNXCMP_VEC_UNARY(Log)
ONNXCMP_VEC_UNARY(Log1p)
ONNXCMP_VEC_UNARY(Log2)
ONNXCMP_VEC_UNARY(Sin)
ONNXCMP_VEC_UNARY(Cos)
ONNXCMP_VEC_UNARY(Tan)
ONNXCMP_VEC_UNARY(Asin)
ONNXCMP_VEC_UNARY(Acos)
ONNXCMP_VEC_UNARY(Atan)
ONNXCMP_VEC_UNARY(Sinh)
ONNXCMP_VEC_UNARY(Cosh)
ONNXCMP_VEC_UNARY(Tanh)
ONNXCMP_VEC_UNARY(Asinh)
ONNXCMP_VEC_UNARY(Acosh)
ONNXCMP_VEC_UNARY(Atanh)
ONNXCMP_VEC_UNARY(Erf)
ONNXCMP_VEC_UNARY(Sqrt)
// 1 / (1 + e^-x), without overflow: e^x / (1 + e^x) for negative x.
ONNXCMP_VEC_UNARY(Sigmoid)
// x / 2 * (1 + erf(x / sqrt(2))).
ONNXCMP_VEC_UNARY(Gelu)
#undef ONNXCMP_VEC_UNARY

// z[i] = x[i] ^ y[i]; exponents of 2 and 3 give x * x and x * x * x, which is faster.
void Pow(const float* x, const float* y, int64_t count, float* z);
void Pow(const double* x, const double* y, int64_t count, double* z);
template <typename X, typename Y>
StripValue<typename X::Scalar> Pow(const Eigen::ArrayBase<X>& x, const Eigen::ArrayBase<Y>& y) {
  Strip<typename X::Scalar> base = x;
  const Strip<typename X::Scalar> exponent = y;
  Pow(base.data(), exponent.data(), base.size(), base.data());
  return StripValue<typename X::Scalar>(base);
}

// y[i] = e^(x[i] - subtrahend); y may be x.
void ExpOfDifference(const float* x, float subtrahend, int64_t count, float* y);
void ExpOfDifference(const double* x, double subtrahend, int64_t count, double* y);

// The greater, the lesser; NaN if either is NaN (Eigen's own lose it, sometimes). Expressions.
template <typename A, typename B>
auto Max(const Eigen::ArrayBase<A>& a, const Eigen::ArrayBase<B>& b) {
  using T = typename A::Scalar;
  return a.binaryExpr(b, Eigen::internal::scalar_max_op<T, T, Eigen::PropagateNaN>());
}
template <typename A>
auto Max(const Eigen::ArrayBase<A>& a, typename A::Scalar b) {
  return Max(a, Eigen::Array<typename A::Scalar, Eigen::Dynamic, 1>::Constant(a.size(), b));
}
template <typename A, typename B>
auto Min(const Eigen::ArrayBase<A>& a, const Eigen::ArrayBase<B>& b) {
  using T = typename A::Scalar;
  return a.binaryExpr(b, Eigen::internal::scalar_min_op<T, T, Eigen::PropagateNaN>());
}
template <typename A>
auto Min(const Eigen::ArrayBase<A>& a, typename A::Scalar b) {
  return Min(a, Eigen::Array<typename A::Scalar, Eigen::Dynamic, 1>::Constant(a.size(), b));
}

}  // namespace onnxcmp::vec

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_VECTOR_MATH_H_

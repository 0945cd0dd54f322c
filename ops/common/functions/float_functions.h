// exp, tanh and erf of floats, which models use most, for float_math.cc alone: within 1 ULP, as
// SLEEF's, in a quarter of the time. One float of five was tried against double precision.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_FUNCTIONS_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_FUNCTIONS_H_

#include "ops/common/functions/packet.h"

namespace onnxcmp::vec {
namespace ONNXCMP_INSTRUCTIONS {

// c0 * x^n + c1 * x^(n-1) + ... + cn.
template <typename... Floating>
[[gnu::always_inline]] inline FloatPair Polynomial(FloatPair x, float c0, float c1, Floating... c) {
  FloatPair sum = FusedMultiplyAdd(x, Fill(c0), Fill(c1));
  ((sum = FusedMultiplyAdd(x, sum, Fill(c))), ...);
  return sum;
}

// e^(x - n log(2)) for whole n near x / log(2), where it lies in [0.7, 1.42].
[[gnu::always_inline]] inline FloatPair ExpOfRest(FloatPair x, FloatPair n) {
  // log(2) in two parts, the first so short that n times it is exact.
  FloatPair r = FusedMultiplyAdd(n, Fill(-0.693359375f), x);
  r = FusedMultiplyAdd(n, Fill(2.12194440e-4f), r);
  return Polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                    1.6666665459e-1f, 0.5f, 1.0f, 1.0f);
}

// e^x of magnitudes below kExpBound: 2^n * e^r with n = round(x / log(2)), |r| <= log(2) / 2.
inline constexpr float kExpBound = 87;
[[gnu::always_inline]] inline FloatPair ExpOfModerate(FloatPair x) {
  const FloatPair rounded = FusedMultiplyAdd(x, Fill(1.44269504f), Fill(kRounder));
  return AddToExponent(ExpOfRest(x, rounded - Fill(kRounder)), rounded);
}

// e^x. The bits are the same both ways; where results may be denormal, infinite or NaN it takes
// half as many instructions again.
[[gnu::always_inline]] inline FloatPair ExpOf(FloatPair x) {
  if (AllLess(Magnitude(x), Fill(kExpBound))) [[likely]] {
    return ExpOfModerate(x);
  }
  // Beyond these everything is 0 or infinity; NaN stays.
  x = Least(Fill(89.0f), Greatest(Fill(-104.0f), x));
  const FloatPair n = FusedMultiplyAdd(x, Fill(1.44269504f), Fill(kRounder)) - Fill(kRounder);
  return TimesPowerOfTwo(ExpOfRest(x, n), n);
}

// Up to 1: x + x^3 P(x^2), P fitted to (tanh(x) / x - 1) / x^2. Beyond: 1 - 2 / (e^2x + 1), where
// e^2x need not be exact, since what is subtracted is small; it comes first, so that the division,
// which takes long, runs beside P.
[[gnu::always_inline]] inline FloatPair TanhOf(FloatPair x) {
  // e^2m = 2^n * e^2r; from 10 on tanh is 1. The polynomial is in r.
  const FloatPair magnitude = Least(Fill(10.0f), Magnitude(x));
  const FloatPair rounded = FusedMultiplyAdd(magnitude, Fill(2.88539008f), Fill(kRounder));
  const FloatPair r = FusedMultiplyAdd(rounded - Fill(kRounder), Fill(-0.34657359f), magnitude);
  const FloatPair power = AddToExponent(Polynomial(r, 0x1.694p-4f, 0x1.125edcp-2f, 0x1.555b5ap-1f,
                                                   0x1.55545p+0f, 0x1.fffff6p+0f, 2.0f, 1.0f),
                                        rounded);
  const Floats one = Fill(1.0f);
  const FloatPair large = one - Fill(2.0f) / (power + one);
  const FloatPair square = x * x;
  const FloatPair p = Polynomial(square, -0x1.7c22cp-12f, 0x1.2f7e76p-9f, -0x1.05012cp-7f,
                                 0x1.603f1p-6f, -0x1.b96b2ap-5f, 0x1.110c3cp-3f, -0x1.55553ep-2f);
  const FloatPair small = FusedMultiplyAdd(square * x, p, x);
  // NaN is not greater: what comes of it as a small one is NaN.
  return WithSignOf(IfLess(Fill(0x1.fffffep-1f), magnitude, large, small), x);
}

// Up to 475/512: x + x P(x^2). Beyond: 1 - e^Q(x). Coefficients that stay within 1 ULP when they
// are rounded to floats are Norbert Juffa's (stackoverflow.com/questions/35148198).
[[gnu::always_inline]] inline FloatPair ErfOf(FloatPair x) {
  const FloatPair magnitude = Magnitude(x);
  const FloatPair square = x * x;
  const FloatPair p = Polynomial(square, -5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f,
                                 1.12819925e-1f, -3.76125336e-1f, 1.28379166e-1f);
  FloatPair q = FusedMultiplyAdd(Polynomial(magnitude, -1.72853470e-5f, 3.83197126e-4f), square,
                                 Polynomial(magnitude, -3.88396438e-3f, 2.42546219e-2f));
  q = FusedMultiplyAdd(q, magnitude, Fill(-1.06777877e-1f));
  q = FusedMultiplyAdd(q, magnitude, Fill(-6.34846687e-1f));
  q = FusedMultiplyAdd(q, magnitude, Fill(-1.28717512e-1f));
  q = FusedMultiplyAdd(q, magnitude, -magnitude);
  const FloatPair small = FusedMultiplyAdd(x, p, x);
  // From e^-80 on the result is 1.
  const FloatPair large = Fill(1.0f) - ExpOfModerate(Greatest(Fill(-80.0f), q));
  // NaN is not greater: what comes of it as a small one is NaN.
  return WithSignOf(IfLess(Fill(0x1.dafffep-1f), magnitude, large, small), x);
}

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp::vec

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_FUNCTIONS_H_

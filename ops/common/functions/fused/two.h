// Numbers as the sum of two, the second of which is what rounding takes off the first, and what
// else SLEEF's functions are made of. Of SLEEF 3.5.1 (Boost Software License, LICENSE.txt), its
// form with fused multiply-adds for one number at a time.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_FUSED_TWO_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_FUSED_TWO_H_

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "evaluator/base/fused_float.h"

namespace onnxcmp::vec::fused {

template <std::floating_point T>
struct Two {
  T x, y;
};

// The rest of an angle, and the quarters that were taken off.
template <typename T>
struct Reduced {
  T rest;
  int32_t quarter;
};

template <std::floating_point T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <std::floating_point T>
inline constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

template <std::floating_point T>
using Bits = std::conditional_t<std::same_as<T, float>, uint32_t, uint64_t>;
template <std::floating_point T>
inline constexpr Bits<T> kSignBit = Bits<T>{1} << (8 * sizeof(T) - 1);
template <std::floating_point T>
Bits<T> BitsOf(T x) {
  return std::bit_cast<Bits<T>>(x);
}

// a * b + c, rounded once.
inline double Fma(double a, double b, double c) { return std::fma(a, b, c); }
inline float Fma(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return std::fma(a, b, c);
#else
  return FusedFloat(a, b, c);
#endif
}

template <std::floating_point T>
T NanIf(bool condition, T x) {
  return condition ? std::bit_cast<T>(~Bits<T>{0}) : x;
}
template <std::floating_point T>
T ZeroIf(bool condition, T x) {
  return condition ? T{0} : x;
}
template <std::floating_point T>
T NegateIf(bool condition, T x) {
  return condition ? -x : x;
}
template <std::floating_point T>
T TimesSign(T x, T y) {
  return std::bit_cast<T>(BitsOf(x) ^ (BitsOf(y) & kSignBit<T>));
}
template <std::floating_point T>
bool IsNegativeZero(T x) {
  return BitsOf(x) == kSignBit<T>;
}
template <std::floating_point T>
bool IsWhole(T x) {
  return std::trunc(x) == x;
}
template <std::floating_point T>
bool IsOdd(T x) {
  return !IsWhole(x * T{0.5});
}
template <typename T>
T Choose(bool is_first, bool is_second, T first, T second, T third) {
  return is_first ? first : is_second ? second : third;
}

// The least integer for what does not fit, as x86 has it.
template <std::floating_point T>
int32_t ToInteger(T x) {
  const bool fits = x >= T{-2147483648.0} && x < T{2147483648.0};
  return fits ? static_cast<int32_t>(x) : std::numeric_limits<int32_t>::min();
}

// 2^n of numbers that are neither denormal nor infinite.
template <std::floating_point T>
T PowerOfTwo(int32_t n) {
  if constexpr (std::same_as<T, float>) {
    return std::bit_cast<float>((static_cast<uint32_t>(n) + 0x7F) << 23);
  } else {
    const uint32_t high = (static_cast<uint32_t>(n) + 0x3FF) << 20;
    return std::bit_cast<double>(static_cast<uint64_t>(high) << 32);
  }
}
template <std::floating_point T>
T AddToExponent(T x, int32_t n) {
  constexpr int kShift = std::numeric_limits<T>::digits - 1;
  return std::bit_cast<T>(BitsOf(x) + (static_cast<Bits<T>>(n) << kShift));
}
template <std::floating_point T>
T TimesPowerOfTwo(T x, int32_t n) {
  return x * PowerOfTwo<T>(n >> 1) * PowerOfTwo<T>(n - (n >> 1));
}
// The same for a result that may be denormal or infinite.
inline float TimesAnyPowerOfTwo(float x, int32_t n) {
  int32_t m = n >> 31;
  m = (((m + n) >> 6) - m) << 4;
  n -= m << 2;
  m += 0x7F;
  m = m < 0 ? 0 : m > 0xFF ? 0xFF : m;
  const float quarter = std::bit_cast<float>(static_cast<uint32_t>(m) << 23);
  return x * quarter * quarter * quarter * quarter * PowerOfTwo<float>(n);
}

inline int32_t ExponentOfNormal(float x) {
  return static_cast<int32_t>(BitsOf(x) >> 23 & 0xFF) - 0x7F;
}
inline int32_t ExponentOfNormal(double x) {
  return static_cast<int32_t>(BitsOf(x) >> 52 & 0x7FF) - 0x3FF;
}
inline int32_t ExponentOf(float x) {
  const bool is_small = x < 0x1p-64F;
  if (is_small) x *= 0x1p64F;
  return static_cast<int32_t>(BitsOf(x) >> 23 & 0xFF) - (is_small ? 64 + 0x7F : 0x7F);
}
inline int32_t ExponentOf(double x) {
  const bool is_small = x < 0x1p-300;
  if (is_small) x *= 0x1p300;
  return static_cast<int32_t>(BitsOf(x) >> 52) - (is_small ? 300 + 0x3FF : 0x3FF);
}

inline Two<float> Split(double x) {
  const auto first = static_cast<float>(x);
  return {first, static_cast<float>(x - first)};
}

template <typename T>
Two<T> Negate(Two<T> a) {
  return {-a.x, -a.y};
}
template <typename T>
Two<T> Normalize(Two<T> a) {
  const T s = a.x + a.y;
  return {s, a.x - s + a.y};
}
template <typename T>
Two<T> Scale(Two<T> a, T b) {
  return {a.x * b, a.y * b};
}

// Sums; Add() where the first of the two is the larger one or 0.
template <std::floating_point T>
Two<T> Add(T a, T b) {
  const T s = a + b;
  return {s, a - s + b};
}
template <std::floating_point T>
Two<T> Add(Two<T> a, T b) {
  const T s = a.x + b;
  return {s, a.x - s + b + a.y};
}
template <std::floating_point T>
Two<T> Add(T a, Two<T> b) {
  const T s = a + b.x;
  return {s, a - s + b.x + b.y};
}
template <std::floating_point T>
Two<T> Add(Two<T> a, Two<T> b) {
  const T s = a.x + b.x;
  return {s, a.x - s + b.x + a.y + b.y};
}
template <std::floating_point T>
Two<T> AddAny(T a, T b) {
  const T s = a + b;
  const T v = s - a;
  return {s, (a - (s - v)) + (b - v)};
}
template <std::floating_point T>
Two<T> AddAny(Two<T> a, T b) {
  const Two<T> sum = AddAny(a.x, b);
  return {sum.x, sum.y + a.y};
}
template <std::floating_point T>
Two<T> AddAny(T a, Two<T> b) {
  const Two<T> sum = AddAny(a, b.x);
  return {sum.x, sum.y + b.y};
}
template <std::floating_point T>
Two<T> AddAny(Two<T> a, Two<T> b) {
  const Two<T> sum = AddAny(a.x, b.x);
  return {sum.x, sum.y + (a.y + b.y)};
}
template <std::floating_point T>
Two<T> Subtract(Two<T> a, T b) {
  const T s = a.x - b;
  return {s, a.x - s - b + a.y};
}
template <std::floating_point T>
Two<T> Subtract(Two<T> a, Two<T> b) {
  const T s = a.x - b.x;
  return {s, a.x - s - b.x + a.y - b.y};
}

template <std::floating_point T>
Two<T> Multiply(T a, T b) {
  const T s = a * b;
  return {s, Fma(a, b, -s)};
}
template <std::floating_point T>
Two<T> Multiply(Two<T> a, T b) {
  const T s = a.x * b;
  return {s, Fma(a.y, b, Fma(a.x, b, -s))};
}
template <std::floating_point T>
Two<T> Multiply(Two<T> a, Two<T> b) {
  const T s = a.x * b.x;
  return {s, Fma(a.x, b.y, Fma(a.y, b.x, Fma(a.x, b.x, -s)))};
}
template <std::floating_point T>
T MultiplyToOne(Two<T> a, Two<T> b) {
  return Fma(a.x, b.x, Fma(a.y, b.x, a.x * b.y));
}
template <std::floating_point T>
Two<T> Square(Two<T> a) {
  const T s = a.x * a.x;
  return {s, Fma(a.x + a.x, a.y, Fma(a.x, a.x, -s))};
}
template <std::floating_point T>
Two<T> Divide(Two<T> a, Two<T> b) {
  const T t = 1 / b.x;
  const T s = a.x * t;
  const T u = Fma(t, a.x, -s);
  const T v = Fma(-b.y, t, Fma(-b.x, t, T{1}));
  return {s, Fma(s, v, Fma(a.y, t, u))};
}
template <std::floating_point T>
Two<T> Reciprocal(T a) {
  const T s = 1 / a;
  return {s, s * Fma(-a, s, T{1})};
}
template <std::floating_point T>
Two<T> Reciprocal(Two<T> a) {
  const T s = 1 / a.x;
  return {s, s * Fma(-a.y, s, Fma(-a.x, s, T{1}))};
}
template <std::floating_point T>
Two<T> Root(T a) {
  const T t = std::sqrt(a);
  return Scale(Multiply(AddAny(a, Multiply(t, t)), Reciprocal(t)), T{0.5});
}
template <std::floating_point T>
Two<T> Root(Two<T> a) {
  const T t = std::sqrt(a.x + a.y);
  return Scale(Multiply(AddAny(a, Multiply(t, t)), Reciprocal(t)), T{0.5});
}

}  // namespace onnxcmp::vec::fused

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_FUSED_TWO_H_

// A register's worth of floats or doubles, for vector_math.cc alone.
#ifndef ONNXCMP_OPS_COMMON_PACKET_H_
#define ONNXCMP_OPS_COMMON_PACKET_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace onnxcmp::vec {

#if defined(__AVX2__) && defined(__FMA__)

using Floats = __m256;
using Doubles = __m256d;
[[gnu::always_inline]] inline Floats Fill(float x) { return _mm256_set1_ps(x); }
[[gnu::always_inline]] inline Doubles Fill(double x) { return _mm256_set1_pd(x); }
[[gnu::always_inline]] inline Floats LoadPacket(const float* x) { return _mm256_loadu_ps(x); }
[[gnu::always_inline]] inline Doubles LoadPacket(const double* x) { return _mm256_loadu_pd(x); }
[[gnu::always_inline]] inline void StorePacket(float* y, Floats v) { _mm256_storeu_ps(y, v); }
[[gnu::always_inline]] inline void StorePacket(double* y, Doubles v) { _mm256_storeu_pd(y, v); }
// Each lane of `yes` where a < b, else of `no`.
[[gnu::always_inline]] inline Floats IfLess(Floats a, Floats b, Floats yes, Floats no) {
  return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
[[gnu::always_inline]] inline Doubles IfLess(Doubles a, Doubles b, Doubles yes, Doubles no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
}
[[gnu::always_inline]] inline Floats IfEqual(Floats a, Floats b, Floats yes, Floats no) {
  return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}
[[gnu::always_inline]] inline Doubles IfEqual(Doubles a, Doubles b, Doubles yes, Doubles no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_EQ_OQ));
}
[[gnu::always_inline]] inline bool AllEqual(Floats a, Floats b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ)) == 0xFF;
}
[[gnu::always_inline]] inline bool AllEqual(Doubles a, Doubles b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)) == 0xF;
}
[[gnu::always_inline]] inline bool AllLess(Floats a, Floats b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)) == 0xFF;
}
[[gnu::always_inline]] inline bool AllLess(Doubles a, Doubles b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) == 0xF;
}
[[gnu::always_inline]] inline Floats Magnitude(Floats x) {
  return _mm256_andnot_ps(Fill(-0.0f), x);
}
[[gnu::always_inline]] inline Doubles Magnitude(Doubles x) {
  return _mm256_andnot_pd(Fill(-0.0), x);
}

// The greater, the lesser; b if either is NaN.
[[gnu::always_inline]] inline Floats Greatest(Floats a, Floats b) { return _mm256_max_ps(a, b); }
[[gnu::always_inline]] inline Floats Least(Floats a, Floats b) { return _mm256_min_ps(a, b); }
// a * b + c, rounded once.
[[gnu::always_inline]] inline Floats FusedMultiplyAdd(Floats a, Floats b, Floats c) {
  return _mm256_fmadd_ps(a, b, c);
}
// The magnitude of x, the sign of `sign`.
[[gnu::always_inline]] inline Floats WithSignOf(Floats x, Floats sign) {
  const Floats bit = Fill(-0.0f);
  return _mm256_or_ps(_mm256_andnot_ps(bit, x), _mm256_and_ps(bit, sign));
}
// x * 2^n for whole numbers in [-252, 254]; exact but for the last step, where it may become
// denormal.
[[gnu::always_inline]] inline Floats TimesPowerOfTwo(Floats x, Floats n) {
  const auto power = [](__m256i exponent) {
    const __m256i biased = _mm256_add_epi32(exponent, _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23));
  };
  const __m256i exponent = _mm256_cvtps_epi32(n);
  const __m256i half = _mm256_srai_epi32(exponent, 1);
  return x * power(half) * power(_mm256_sub_epi32(exponent, half));
}

#else  // a processor without AVX2: packets of one element

using Floats = float;
using Doubles = double;
template <typename T>
T Fill(T x) {
  return x;
}
template <typename T>
T LoadPacket(const T* x) {
  return *x;
}
template <typename T>
[[gnu::always_inline]] inline void StorePacket(T* y, T v) {
  *y = v;
}
template <typename T>
T IfLess(T a, T b, T yes, T no) {
  return a < b ? yes : no;
}
template <typename T>
T IfEqual(T a, T b, T yes, T no) {
  return a == b ? yes : no;
}
template <typename T>
[[gnu::always_inline]] inline bool AllEqual(T a, T b) {
  return a == b;
}
template <typename T>
[[gnu::always_inline]] inline bool AllLess(T a, T b) {
  return a < b;
}
template <typename T>
T Magnitude(T x) {
  return std::fabs(x);
}
[[gnu::always_inline]] inline Floats Greatest(Floats a, Floats b) { return a > b ? a : b; }
[[gnu::always_inline]] inline Floats Least(Floats a, Floats b) { return a < b ? a : b; }
[[gnu::always_inline]] inline Floats FusedMultiplyAdd(Floats a, Floats b, Floats c) {
  return std::fma(a, b, c);
}
[[gnu::always_inline]] inline Floats WithSignOf(Floats x, Floats sign) {
  return std::copysign(x, sign);
}
[[gnu::always_inline]] inline Floats TimesPowerOfTwo(Floats x, Floats n) {
  return n == n ? std::ldexp(x, static_cast<int>(n)) : n;
}

#endif

template <typename T>
inline constexpr int64_t kLanes = (std::is_same_v<T, float> ? sizeof(Floats) : sizeof(Doubles)) /
                                  static_cast<int64_t>(sizeof(T));

}  // namespace onnxcmp::vec

#endif  // ONNXCMP_OPS_COMMON_PACKET_H_

// Eight doubles side by side, for fingerprint_loops.cc alone: one register of AVX-512, two of AVX2.
#ifndef ONNXCMP_RECORD_STREAMS_EIGHT_DOUBLES_H_
#define ONNXCMP_RECORD_STREAMS_EIGHT_DOUBLES_H_

#include <cstdint>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include "evaluator/base/instructions.h"

namespace onnxcmp {
namespace ONNXCMP_INSTRUCTIONS {

// The double whose bits are this less those of x is 1 / x to 5 %, for positive x below 2^1000.
inline constexpr int64_t kReciprocal = 0x7FDE623822FC16E6;
// Sums four lanes, each already a sum of two, in a fixed order.
[[gnu::always_inline]] inline double SumOfFour(const double* lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

#if defined(ONNXCMP_AVX512)

struct EightDoubles {
  __m512d all;
};

[[gnu::always_inline]] inline EightDoubles Fill(double x) { return {_mm512_set1_pd(x)}; }
[[gnu::always_inline]] inline EightDoubles LoadEight(const double* x) {
  return {_mm512_loadu_pd(x)};
}
[[gnu::always_inline]] inline EightDoubles LoadEight(const float* x) {
  return {_mm512_cvtps_pd(_mm256_loadu_ps(x))};
}
[[gnu::always_inline]] inline void StoreEight(EightDoubles v, double* x) {
  _mm512_storeu_pd(x, v.all);
}
[[gnu::always_inline]] inline EightDoubles operator+(EightDoubles a, EightDoubles b) {
  return {_mm512_add_pd(a.all, b.all)};
}
[[gnu::always_inline]] inline EightDoubles operator-(EightDoubles a, EightDoubles b) {
  return {_mm512_sub_pd(a.all, b.all)};
}
[[gnu::always_inline]] inline EightDoubles operator*(EightDoubles a, EightDoubles b) {
  return {_mm512_mul_pd(a.all, b.all)};
}
[[gnu::always_inline]] inline EightDoubles FusedMultiplyAdd(EightDoubles a, EightDoubles b,
                                                            EightDoubles c) {
  return {_mm512_fmadd_pd(a.all, b.all, c.all)};
}
[[gnu::always_inline]] inline EightDoubles FusedMultiplySubtractFrom(EightDoubles a, EightDoubles b,
                                                                     EightDoubles c) {
  return {_mm512_fnmadd_pd(a.all, b.all, c.all)};
}
[[gnu::always_inline]] inline EightDoubles Magnitude(EightDoubles x) {
  return {_mm512_abs_pd(x.all)};
}
[[gnu::always_inline]] inline EightDoubles Between(EightDoubles x, double least, double greatest) {
  return {_mm512_max_pd(_mm512_min_pd(x.all, _mm512_set1_pd(greatest)), _mm512_set1_pd(least))};
}
[[gnu::always_inline]] inline EightDoubles AboutReciprocal(EightDoubles x) {
  return {_mm512_castsi512_pd(
      _mm512_sub_epi64(_mm512_set1_epi64(kReciprocal), _mm512_castpd_si512(x.all)))};
}
using EightSigns = __mmask8;
[[gnu::always_inline]] inline EightSigns SignsOf(uint64_t bits) {
  return static_cast<EightSigns>(bits);
}
[[gnu::always_inline]] inline EightDoubles Flip(EightDoubles x, EightSigns signs) {
  return {_mm512_mask_xor_pd(x.all, signs, x.all, _mm512_set1_pd(-0.0))};
}
[[gnu::always_inline]] inline double Sum(EightDoubles x) {
  double halves[4];
  _mm256_storeu_pd(halves,
                   _mm256_add_pd(_mm512_castpd512_pd256(x.all), _mm512_extractf64x4_pd(x.all, 1)));
  return SumOfFour(halves);
}

#elif defined(__AVX2__) && defined(__FMA__)

struct EightDoubles {
  __m256d low, high;
};

[[gnu::always_inline]] inline EightDoubles Fill(double x) {
  return {_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
[[gnu::always_inline]] inline EightDoubles LoadEight(const double* x) {
  return {_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)};
}
[[gnu::always_inline]] inline EightDoubles LoadEight(const float* x) {
  return {_mm256_cvtps_pd(_mm_loadu_ps(x)), _mm256_cvtps_pd(_mm_loadu_ps(x + 4))};
}
[[gnu::always_inline]] inline void StoreEight(EightDoubles v, double* x) {
  _mm256_storeu_pd(x, v.low);
  _mm256_storeu_pd(x + 4, v.high);
}
[[gnu::always_inline]] inline EightDoubles operator+(EightDoubles a, EightDoubles b) {
  return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}
[[gnu::always_inline]] inline EightDoubles operator-(EightDoubles a, EightDoubles b) {
  return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
}
[[gnu::always_inline]] inline EightDoubles operator*(EightDoubles a, EightDoubles b) {
  return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}
// a * b + c, rounded once.
[[gnu::always_inline]] inline EightDoubles FusedMultiplyAdd(EightDoubles a, EightDoubles b,
                                                            EightDoubles c) {
  return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
// c - a * b, rounded once.
[[gnu::always_inline]] inline EightDoubles FusedMultiplySubtractFrom(EightDoubles a, EightDoubles b,
                                                                     EightDoubles c) {
  return {_mm256_fnmadd_pd(a.low, b.low, c.low), _mm256_fnmadd_pd(a.high, b.high, c.high)};
}
[[gnu::always_inline]] inline EightDoubles Magnitude(EightDoubles x) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  return {_mm256_andnot_pd(sign, x.low), _mm256_andnot_pd(sign, x.high)};
}
[[gnu::always_inline]] inline EightDoubles Between(EightDoubles x, double least, double greatest) {
  const auto half = [&](__m256d lanes) {
    return _mm256_max_pd(_mm256_min_pd(lanes, _mm256_set1_pd(greatest)), _mm256_set1_pd(least));
  };
  return {half(x.low), half(x.high)};
}
[[gnu::always_inline]] inline EightDoubles AboutReciprocal(EightDoubles x) {
  const auto half = [](__m256d lanes) {
    return _mm256_castsi256_pd(
        _mm256_sub_epi64(_mm256_set1_epi64x(kReciprocal), _mm256_castpd_si256(lanes)));
  };
  return {half(x.low), half(x.high)};
}
struct EightSigns {
  __m256d low, high;
};
// Signs from the lowest eight bits; 1s flip.
[[gnu::always_inline]] inline EightSigns SignsOf(uint64_t bits) {
  const __m256i all = _mm256_set1_epi64x(static_cast<int64_t>(bits));
  const auto half = [&](__m256i shifts) {
    return _mm256_and_pd(_mm256_castsi256_pd(_mm256_sllv_epi64(all, shifts)), _mm256_set1_pd(-0.0));
  };
  return {half(_mm256_setr_epi64x(63, 62, 61, 60)), half(_mm256_setr_epi64x(59, 58, 57, 56))};
}
[[gnu::always_inline]] inline EightDoubles Flip(EightDoubles x, EightSigns signs) {
  return {_mm256_xor_pd(x.low, signs.low), _mm256_xor_pd(x.high, signs.high)};
}
[[gnu::always_inline]] inline double Sum(EightDoubles x) {
  double halves[4];
  _mm256_storeu_pd(halves, _mm256_add_pd(x.low, x.high));
  return SumOfFour(halves);
}

#else  // a processor without AVX2

struct EightDoubles {
  double lanes[8];
};

template <typename F>
[[gnu::always_inline]] inline EightDoubles ForEachLane(F f) {
  EightDoubles made;
  for (int i = 0; i < 8; ++i) made.lanes[i] = f(i);
  return made;
}
inline EightDoubles Fill(double x) {
  return ForEachLane([&](int) { return x; });
}
template <typename T>
EightDoubles LoadEight(const T* x) {
  return ForEachLane([&](int i) { return static_cast<double>(x[i]); });
}
inline void StoreEight(const EightDoubles& v, double* x) {
  for (int i = 0; i < 8; ++i) x[i] = v.lanes[i];
}
inline EightDoubles operator+(const EightDoubles& a, const EightDoubles& b) {
  return ForEachLane([&](int i) { return a.lanes[i] + b.lanes[i]; });
}
inline EightDoubles operator-(const EightDoubles& a, const EightDoubles& b) {
  return ForEachLane([&](int i) { return a.lanes[i] - b.lanes[i]; });
}
inline EightDoubles operator*(const EightDoubles& a, const EightDoubles& b) {
  return ForEachLane([&](int i) { return a.lanes[i] * b.lanes[i]; });
}
inline EightDoubles FusedMultiplyAdd(const EightDoubles& a, const EightDoubles& b,
                                     const EightDoubles& c) {
  return ForEachLane([&](int i) { return __builtin_fma(a.lanes[i], b.lanes[i], c.lanes[i]); });
}
inline EightDoubles FusedMultiplySubtractFrom(const EightDoubles& a, const EightDoubles& b,
                                              const EightDoubles& c) {
  return ForEachLane([&](int i) { return __builtin_fma(-a.lanes[i], b.lanes[i], c.lanes[i]); });
}
inline EightDoubles Magnitude(const EightDoubles& x) {
  return ForEachLane([&](int i) { return __builtin_fabs(x.lanes[i]); });
}
inline EightDoubles Between(const EightDoubles& x, double least, double greatest) {
  return ForEachLane([&](int i) {
    const double bounded = x.lanes[i] < greatest ? x.lanes[i] : greatest;
    return bounded > least ? bounded : least;
  });
}
inline EightDoubles AboutReciprocal(const EightDoubles& x) {
  return ForEachLane([&](int i) {
    return __builtin_bit_cast(double, kReciprocal - __builtin_bit_cast(int64_t, x.lanes[i]));
  });
}
using EightSigns = uint64_t;
inline EightSigns SignsOf(uint64_t bits) { return bits; }
inline EightDoubles Flip(const EightDoubles& x, EightSigns signs) {
  return ForEachLane([&](int i) { return (signs >> i) % 2 != 0 ? -x.lanes[i] : x.lanes[i]; });
}
inline double Sum(const EightDoubles& x) {
  double halves[4];
  for (int i = 0; i < 4; ++i) halves[i] = x.lanes[i] + x.lanes[i + 4];
  return SumOfFour(halves);
}

#endif

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_EIGHT_DOUBLES_H_

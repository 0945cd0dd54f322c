// A register's worth of floats or doubles, and two of floats at once, for vector_math.cc and
// float_math.cc alone.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_PACKET_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_PACKET_H_

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "evaluator/base/fused_float.h"
#include "evaluator/base/instructions.h"

namespace onnxcmp::vec {
namespace ONNXCMP_INSTRUCTIONS {

// kRounder + x is kRounder + n for the whole number n next to x.
inline constexpr float kRounder =
    12582912.0f;  // 1.5 * 2^23: what is added to it loses its fraction

#if defined(ONNXCMP_AVX512)  // as float_functions.h needs it

using Floats = __m512;
using Doubles = __m512d;
[[gnu::always_inline]] inline Floats Fill(float x) { return _mm512_set1_ps(x); }
[[gnu::always_inline]] inline Floats LoadPacket(const float* x) { return _mm512_loadu_ps(x); }
[[gnu::always_inline]] inline void StorePacket(float* y, Floats v) { _mm512_storeu_ps(y, v); }
[[gnu::always_inline]] inline Floats IfLess(Floats a, Floats b, Floats yes, Floats no) {
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}
[[gnu::always_inline]] inline bool AllLess(Floats a, Floats b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ) == 0xFFFF;
}
[[gnu::always_inline]] inline Floats Magnitude(Floats x) {
  return _mm512_andnot_ps(Fill(-0.0f), x);
}
[[gnu::always_inline]] inline Floats Greatest(Floats a, Floats b) { return _mm512_max_ps(a, b); }
[[gnu::always_inline]] inline Floats Least(Floats a, Floats b) { return _mm512_min_ps(a, b); }
[[gnu::always_inline]] inline Floats FusedMultiplyAdd(Floats a, Floats b, Floats c) {
  return _mm512_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Floats WithSignOf(Floats x, Floats sign) {
  return _mm512_or_ps(x, _mm512_and_ps(Fill(-0.0f), sign));
}
[[gnu::always_inline]] inline Floats TimesPowerOfTwo(Floats x, Floats n) {
  const auto power = [](__m512i exponent) {
    const __m512i biased = _mm512_add_epi32(exponent, _mm512_set1_epi32(127));
    return _mm512_castsi512_ps(_mm512_slli_epi32(biased, 23));
  };
  const __m512i exponent = _mm512_cvtps_epi32(n);
  const __m512i half = _mm512_srai_epi32(exponent, 1);
  return x * power(half) * power(_mm512_sub_epi32(exponent, half));
}
[[gnu::always_inline]] inline Floats AddToExponent(Floats x, Floats rounded) {
  const __m512i n = _mm512_slli_epi32(_mm512_castps_si512(rounded), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(x), n));
}

#elif defined(__AVX2__) && defined(__FMA__)

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
// x, whose sign is that of `sign` or plus, with that of `sign`.
[[gnu::always_inline]] inline Floats WithSignOf(Floats x, Floats sign) {
  return _mm256_or_ps(x, _mm256_and_ps(Fill(-0.0f), sign));
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
// x * 2^n where neither x nor the result is denormal, infinite or NaN; `rounded` is kRounder + n,
// whose low bits are those of n.
[[gnu::always_inline]] inline Floats AddToExponent(Floats x, Floats rounded) {
  const __m256i n = _mm256_slli_epi32(_mm256_castps_si256(rounded), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), n));
}

#elif defined(__aarch64__)

using Floats = float32x4_t;
using Doubles = float64x2_t;
[[gnu::always_inline]] inline Floats Fill(float x) { return vdupq_n_f32(x); }
[[gnu::always_inline]] inline Doubles Fill(double x) { return vdupq_n_f64(x); }
[[gnu::always_inline]] inline Floats LoadPacket(const float* x) { return vld1q_f32(x); }
[[gnu::always_inline]] inline Doubles LoadPacket(const double* x) { return vld1q_f64(x); }
[[gnu::always_inline]] inline void StorePacket(float* y, Floats v) { vst1q_f32(y, v); }
[[gnu::always_inline]] inline void StorePacket(double* y, Doubles v) { vst1q_f64(y, v); }
[[gnu::always_inline]] inline Floats IfLess(Floats a, Floats b, Floats yes, Floats no) {
  return vbslq_f32(vcltq_f32(a, b), yes, no);
}
[[gnu::always_inline]] inline Doubles IfLess(Doubles a, Doubles b, Doubles yes, Doubles no) {
  return vbslq_f64(vcltq_f64(a, b), yes, no);
}
[[gnu::always_inline]] inline Floats IfEqual(Floats a, Floats b, Floats yes, Floats no) {
  return vbslq_f32(vceqq_f32(a, b), yes, no);
}
[[gnu::always_inline]] inline Doubles IfEqual(Doubles a, Doubles b, Doubles yes, Doubles no) {
  return vbslq_f64(vceqq_f64(a, b), yes, no);
}
[[gnu::always_inline]] inline bool AllOnes(uint32x4_t mask) { return vminvq_u32(mask) != 0; }
[[gnu::always_inline]] inline bool AllOnes(uint64x2_t mask) {
  return AllOnes(vreinterpretq_u32_u64(mask));
}
[[gnu::always_inline]] inline bool AllEqual(Floats a, Floats b) { return AllOnes(vceqq_f32(a, b)); }
[[gnu::always_inline]] inline bool AllEqual(Doubles a, Doubles b) {
  return AllOnes(vceqq_f64(a, b));
}
[[gnu::always_inline]] inline bool AllLess(Floats a, Floats b) { return AllOnes(vcltq_f32(a, b)); }
[[gnu::always_inline]] inline bool AllLess(Doubles a, Doubles b) {
  return AllOnes(vcltq_f64(a, b));
}
[[gnu::always_inline]] inline Floats Magnitude(Floats x) { return vabsq_f32(x); }
[[gnu::always_inline]] inline Doubles Magnitude(Doubles x) { return vabsq_f64(x); }
// Not vmaxq_f32 and vminq_f32, which give NaN if either is NaN.
[[gnu::always_inline]] inline Floats Greatest(Floats a, Floats b) {
  return vbslq_f32(vcgtq_f32(a, b), a, b);
}
[[gnu::always_inline]] inline Floats Least(Floats a, Floats b) {
  return vbslq_f32(vcltq_f32(a, b), a, b);
}
[[gnu::always_inline]] inline Floats FusedMultiplyAdd(Floats a, Floats b, Floats c) {
  return vfmaq_f32(c, a, b);
}
[[gnu::always_inline]] inline Floats WithSignOf(Floats x, Floats sign) {
  const uint32x4_t signs = vandq_u32(vreinterpretq_u32_f32(sign), vdupq_n_u32(0x80000000));
  return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(x), signs));
}
[[gnu::always_inline]] inline Floats TimesPowerOfTwo(Floats x, Floats n) {
  const auto power = [](int32x4_t exponent) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(exponent, vdupq_n_s32(127)), 23));
  };
  const int32x4_t exponent = vcvtnq_s32_f32(n);
  const int32x4_t half = vshrq_n_s32(exponent, 1);
  return x * power(half) * power(vsubq_s32(exponent, half));
}
[[gnu::always_inline]] inline Floats AddToExponent(Floats x, Floats rounded) {
  const int32x4_t n = vshlq_n_s32(vreinterpretq_s32_f32(rounded), 23);
  return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(x), n));
}

#else  // neither AVX2 nor NEON: packets of one element

using Floats = float;
using Doubles = double;
template <std::floating_point T>
T Fill(T x) {
  return x;
}
template <std::floating_point T>
T LoadPacket(const T* x) {
  return *x;
}
template <std::floating_point T>
[[gnu::always_inline]] inline void StorePacket(T* y, T v) {
  *y = v;
}
template <std::floating_point T>
T IfLess(T a, T b, T yes, T no) {
  return a < b ? yes : no;
}
template <std::floating_point T>
T IfEqual(T a, T b, T yes, T no) {
  return a == b ? yes : no;
}
template <std::floating_point T>
[[gnu::always_inline]] inline bool AllEqual(T a, T b) {
  return a == b;
}
template <std::floating_point T>
[[gnu::always_inline]] inline bool AllLess(T a, T b) {
  return a < b;
}
template <std::floating_point T>
T Magnitude(T x) {
  return std::fabs(x);
}
[[gnu::always_inline]] inline Floats Greatest(Floats a, Floats b) { return a > b ? a : b; }
[[gnu::always_inline]] inline Floats Least(Floats a, Floats b) { return a < b ? a : b; }
[[gnu::always_inline]] inline Floats FusedMultiplyAdd(Floats a, Floats b, Floats c) {
  return FusedFloat(a, b, c);
}
[[gnu::always_inline]] inline Floats WithSignOf(Floats x, Floats sign) {
  return std::copysign(x, sign);
}
[[gnu::always_inline]] inline Floats TimesPowerOfTwo(Floats x, Floats n) {
  return n == n ? std::ldexp(x, static_cast<int>(n)) : n;
}
[[gnu::always_inline]] inline Floats AddToExponent(Floats x, Floats rounded) {
  return TimesPowerOfTwo(x, rounded - kRounder);
}

#endif

// Two packets of floats. A function of one is a chain of instructions, each of which waits for the
// one before it; two chains side by side keep the processor busy.
struct FloatPair {
  Floats first, second;
};

[[gnu::always_inline]] inline Floats FirstOf(Floats x) { return x; }
[[gnu::always_inline]] inline Floats FirstOf(FloatPair x) { return x.first; }
[[gnu::always_inline]] inline Floats SecondOf(Floats x) { return x; }
[[gnu::always_inline]] inline Floats SecondOf(FloatPair x) { return x.second; }

// f of the packets of all arguments; a single packet goes to both.
template <typename F, typename... V>
[[gnu::always_inline]] inline FloatPair ForBoth(F f, V... v) {
  return {f(FirstOf(v)...), f(SecondOf(v)...)};
}
template <typename... V>
concept HasPair = (std::is_same_v<V, FloatPair> || ...);

#define ONNXCMP_FOR_BOTH(Name)                                            \
  template <typename... V>                                                \
  requires HasPair<V...>                                                  \
  [[gnu::always_inline]] inline FloatPair Name(V... v) {                  \
    return ForBoth([](auto... packet) { return Name(packet...); }, v...); \
  }
ONNXCMP_FOR_BOTH(IfLess)
ONNXCMP_FOR_BOTH(Magnitude)
ONNXCMP_FOR_BOTH(Greatest)
ONNXCMP_FOR_BOTH(Least)
ONNXCMP_FOR_BOTH(FusedMultiplyAdd)
ONNXCMP_FOR_BOTH(WithSignOf)
ONNXCMP_FOR_BOTH(TimesPowerOfTwo)
ONNXCMP_FOR_BOTH(AddToExponent)
#undef ONNXCMP_FOR_BOTH

#define ONNXCMP_FOR_BOTH(op)                                      \
  template <typename A, typename B>                               \
  requires HasPair<A, B>                                          \
  [[gnu::always_inline]] inline FloatPair operator op(A a, B b) { \
    return ForBoth([](auto x, auto y) { return x op y; }, a, b);  \
  }
ONNXCMP_FOR_BOTH(+)
ONNXCMP_FOR_BOTH(-)
ONNXCMP_FOR_BOTH(*)
ONNXCMP_FOR_BOTH(/)
#undef ONNXCMP_FOR_BOTH
[[gnu::always_inline]] inline FloatPair operator-(FloatPair x) { return {-x.first, -x.second}; }

[[gnu::always_inline]] inline bool AllLess(FloatPair a, Floats b) {
  return AllLess(a.first, b) && AllLess(a.second, b);
}

template <typename T>
inline constexpr int64_t kLanes = (std::is_same_v<T, float> ? sizeof(Floats) : sizeof(Doubles)) /
                                  static_cast<int64_t>(sizeof(T));

// y[i] = f(x[i]), where f takes and returns packets. The rest that does not fill a packet goes
// through the same instructions in a padded one.
template <typename T, typename F>
void Apply(const T* x, int64_t count, T* y, F f) {
  int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) {
    StorePacket(y + i, f(LoadPacket(x + i)));
  }
  if (i < count) {
    T padded[kLanes<T>] = {};
    std::memcpy(padded, x + i, static_cast<size_t>(count - i) * sizeof(T));
    StorePacket(padded, f(LoadPacket(padded)));
    std::memcpy(y + i, padded, static_cast<size_t>(count - i) * sizeof(T));
  }
}

// The same where f takes and returns pairs. It is called in one place alone, so that it is inlined.
template <typename F>
void ApplyToPairs(const float* x, int64_t count, float* y, F f) {
  constexpr int64_t kPair = 2 * kLanes<float>;
  float padded[kPair] = {};
  for (int64_t i = 0; i < count; i += kPair) {
    const bool is_whole = i + kPair <= count;
    const size_t rest = static_cast<size_t>(count - i) * sizeof(float);
    if (!is_whole) std::memcpy(padded, x + i, rest);
    const float* from = is_whole ? x + i : padded;
    const FloatPair result = f(FloatPair{LoadPacket(from), LoadPacket(from + kLanes<float>)});
    float* to = is_whole ? y + i : padded;
    StorePacket(to, result.first);
    StorePacket(to + kLanes<float>, result.second);
    if (!is_whole) std::memcpy(y + i, padded, rest);
  }
}

}  // namespace ONNXCMP_INSTRUCTIONS
using namespace ONNXCMP_INSTRUCTIONS;  // NOLINT(google-build-using-namespace): the file's own

}  // namespace onnxcmp::vec

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_PACKET_H_

#include "ops/common/vector_math.h"

#include <cstring>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif
#include <sleef.h>

namespace onnxcmp::vec {
namespace {

#if defined(__AVX2__) && defined(__FMA__)

#define ONNXCMP_SLEEF_FLOAT(name, accuracy) Sleef_##name##f8_##accuracy##avx2
#define ONNXCMP_SLEEF_DOUBLE(name, accuracy) Sleef_##name##d4_##accuracy##avx2

using Floats = __m256;
using Doubles = __m256d;
Floats Fill(float x) { return _mm256_set1_ps(x); }
Doubles Fill(double x) { return _mm256_set1_pd(x); }
Floats LoadPacket(const float* x) { return _mm256_loadu_ps(x); }
Doubles LoadPacket(const double* x) { return _mm256_loadu_pd(x); }
void StorePacket(float* y, Floats v) { _mm256_storeu_ps(y, v); }
void StorePacket(double* y, Doubles v) { _mm256_storeu_pd(y, v); }
// Each lane of `yes` where a < b, else of `no`.
Floats IfLess(Floats a, Floats b, Floats yes, Floats no) {
  return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
Doubles IfLess(Doubles a, Doubles b, Doubles yes, Doubles no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
}
Floats IfEqual(Floats a, Floats b, Floats yes, Floats no) {
  return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}
Doubles IfEqual(Doubles a, Doubles b, Doubles yes, Doubles no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_EQ_OQ));
}
bool AllEqual(Floats a, Floats b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ)) == 0xFF;
}
bool AllEqual(Doubles a, Doubles b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)) == 0xF;
}
bool AllLess(Floats a, Floats b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)) == 0xFF;
}
bool AllLess(Doubles a, Doubles b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) == 0xF;
}
Floats Magnitude(Floats x) { return _mm256_andnot_ps(Fill(-0.0f), x); }
Doubles Magnitude(Doubles x) { return _mm256_andnot_pd(Fill(-0.0), x); }

#else  // a processor without AVX2: packets of one element

#define ONNXCMP_SLEEF_FLOAT(name, accuracy) Sleef_##name##f1_##accuracy##purec
#define ONNXCMP_SLEEF_DOUBLE(name, accuracy) Sleef_##name##d1_##accuracy##purec

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
void StorePacket(T* y, T v) {
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
bool AllEqual(T a, T b) {
  return a == b;
}
template <typename T>
bool AllLess(T a, T b) {
  return a < b;
}
template <typename T>
T Magnitude(T x) {
  return x < 0 ? -x : x;
}

#endif

template <typename T>
inline constexpr int64_t kLanes = (std::is_same_v<T, float> ? sizeof(Floats) : sizeof(Doubles)) /
                                  static_cast<int64_t>(sizeof(T));

// The rest that does not fill a packet goes through the same instructions in a padded one.
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

template <typename T, typename F>
void Apply(const T* x, const T* y, int64_t count, T* z, F f) {
  int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) {
    StorePacket(z + i, f(LoadPacket(x + i), LoadPacket(y + i)));
  }
  if (i < count) {
    const size_t bytes = static_cast<size_t>(count - i) * sizeof(T);
    T padded_x[kLanes<T>] = {};
    T padded_y[kLanes<T>] = {};
    std::memcpy(padded_x, x + i, bytes);
    std::memcpy(padded_y, y + i, bytes);
    StorePacket(padded_x, f(LoadPacket(padded_x), LoadPacket(padded_y)));
    std::memcpy(z + i, padded_x, bytes);
  }
}

// SLEEF reduces the arguments of sin, cos and tan in one way if all lanes of the packet are small,
// else in another that rounds differently: a value would depend on its neighbours. So each range
// is computed apart, with the other lanes replaced. The bounds are SLEEF's TRIGRANGEMAX and
// TRIGRANGEMAX2; a test looks for values that depend on neighbours.
template <typename F>
Floats InRanges(Floats x, F f) {
  const Floats bound = Fill(125.0f);
  const Floats magnitude = Magnitude(x);
  if (AllLess(magnitude, bound)) {
    return f(x);
  }
  const Floats large = f(IfLess(magnitude, bound, Fill(1e6f), x));
  const Floats small = f(IfLess(magnitude, bound, x, Fill(0.0f)));
  return IfLess(magnitude, bound, small, large);
}
template <typename F>
Doubles InRanges(Doubles x, F f) {
  const Doubles small_bound = Fill(15.0);
  const Doubles middle_bound = Fill(1e14);
  const Doubles magnitude = Magnitude(x);
  if (AllLess(magnitude, small_bound)) {
    return f(x);
  }
  const Doubles large = f(IfLess(magnitude, middle_bound, Fill(1e15), x));
  const Doubles not_large = IfLess(magnitude, middle_bound, x, Fill(1e6));
  const Doubles middle = f(IfLess(magnitude, small_bound, Fill(1e6), not_large));
  const Doubles small = f(IfLess(magnitude, small_bound, x, Fill(0.0)));
  return IfLess(magnitude, small_bound, small, IfLess(magnitude, middle_bound, middle, large));
}

Floats ExpOf(Floats x) { return ONNXCMP_SLEEF_FLOAT(exp, u10)(x); }
Doubles ExpOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(exp, u10)(x); }
Floats ErfOf(Floats x) { return ONNXCMP_SLEEF_FLOAT(erf, u10)(x); }
Doubles ErfOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(erf, u10)(x); }
Floats PowOf(Floats x, Floats y) { return ONNXCMP_SLEEF_FLOAT(pow, u10)(x, y); }
Doubles PowOf(Doubles x, Doubles y) { return ONNXCMP_SLEEF_DOUBLE(pow, u10)(x, y); }

Floats LogOf(Floats x) { return ONNXCMP_SLEEF_FLOAT(log, u10)(x); }
Doubles LogOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(log, u10)(x); }
Floats SinhOf(Floats x) { return ONNXCMP_SLEEF_FLOAT(sinh, u10)(x); }
Doubles SinhOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(sinh, u10)(x); }
Floats CoshOf(Floats x) { return ONNXCMP_SLEEF_FLOAT(cosh, u10)(x); }
Doubles CoshOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(cosh, u10)(x); }
Floats AsinhOf(Floats x) { return ONNXCMP_SLEEF_FLOAT(asinh, u10)(x); }
Doubles AsinhOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(asinh, u10)(x); }
Floats AcoshOf(Floats x) { return ONNXCMP_SLEEF_FLOAT(acosh, u10)(x); }
Doubles AcoshOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(acosh, u10)(x); }

// SLEEF's sinh, cosh, asinh and acosh turn infinite before their results overflow. From these
// arguments on the larger one of their two terms is all that counts.
template <typename T>
inline constexpr T kLargeForSinh = std::is_same_v<T, float> ? 88 : 709;
template <typename T>
inline constexpr T kLargeForAsinh = 1e9;

// f(x), but large(|x|) from `bound` on.
template <typename V, typename F, typename G>
V SplitAt(V bound, V x, F f, G large) {
  const V magnitude = Magnitude(x);
  if (AllLess(magnitude, bound)) {
    return f(x);
  }
  return IfLess(magnitude, bound, f(x), large(magnitude));
}

// cosh(x) of large x, and sinh(x): e^x / 2 = (e^(x/2))^2 / 2.
template <typename T, typename V>
V LargeCosh(V x) {
  const V root = ExpOf(x * Fill(T{0.5}));
  return root * Fill(T{0.5}) * root;
}

// acosh(x) of large x, and asinh(x): log(2x).
template <typename T, typename V>
V LargeAcosh(V x) {
  return LogOf(x) + Fill(static_cast<T>(0.69314718055994530942));
}

template <typename T>
void SinhTo(const T* x, int64_t count, T* y) {
  Apply(x, count, y, [](auto v) {
    return SplitAt(
        Fill(kLargeForSinh<T>), v, [](auto u) { return SinhOf(u); },
        [v](auto u) {
          const auto large = LargeCosh<T>(u);
          return IfLess(v, Fill(T{0}), -large, large);
        });
  });
}

template <typename T>
void CoshTo(const T* x, int64_t count, T* y) {
  Apply(x, count, y, [](auto v) {
    return SplitAt(
        Fill(kLargeForSinh<T>), v, [](auto u) { return CoshOf(u); },
        [](auto u) { return LargeCosh<T>(u); });
  });
}

template <typename T>
void AsinhTo(const T* x, int64_t count, T* y) {
  Apply(x, count, y, [](auto v) {
    return SplitAt(
        Fill(kLargeForAsinh<T>), v, [](auto u) { return AsinhOf(u); },
        [v](auto u) {
          const auto large = LargeAcosh<T>(u);
          return IfLess(v, Fill(T{0}), -large, large);
        });
  });
}

// Large negative arguments have no real result: SLEEF's NaN stays.
template <typename T>
void AcoshTo(const T* x, int64_t count, T* y) {
  Apply(x, count, y, [](auto v) {
    return SplitAt(
        Fill(kLargeForAsinh<T>), v, [](auto u) { return AcoshOf(u); },
        [v](auto u) { return IfLess(v, Fill(T{0}), AcoshOf(v), LargeAcosh<T>(u)); });
  });
}

template <typename T>
void SigmoidOf(const T* x, int64_t count, T* y) {
  Apply(x, count, y, [](auto v) {
    const auto one = Fill(T{1});
    const auto zero = Fill(T{0});
    const auto e = ExpOf(IfLess(v, zero, v, -v));
    return IfLess(v, zero, e, one) / (one + e);
  });
}

template <typename T>
void GeluOf(const T* x, int64_t count, T* y) {
  Apply(x, count, y, [](auto v) {
    const auto sqrt_half = Fill(static_cast<T>(0.70710678118654752440));
    return Fill(T{0.5}) * v * (Fill(T{1}) + ErfOf(v * sqrt_half));
  });
}

// Squares and cubes are products, for each element alone; packets that hold nothing else, as most
// models write them, are done with that.
template <typename T>
void PowOrProduct(const T* x, const T* y, int64_t count, T* z) {
  Apply(x, y, count, z, [](auto base, auto exponent) {
    const auto two = Fill(T{2});
    const auto three = Fill(T{3});
    const auto square = base * base;
    if (AllEqual(exponent, two)) {
      return square;
    }
    const auto cube = square * base;
    if (AllEqual(exponent, three)) {
      return cube;
    }
    return IfEqual(exponent, two, square, IfEqual(exponent, three, cube, PowOf(base, exponent)));
  });
}

}  // namespace

#define ONNXCMP_VEC_DEFINE(Name, name)                                                           \
  void Name(const float* x, int64_t count, float* y) {                                           \
    Apply(x, count, y, [](Floats v) -> Floats { return ONNXCMP_SLEEF_FLOAT(name, u10)(v); });    \
  }                                                                                              \
  void Name(const double* x, int64_t count, double* y) {                                         \
    Apply(x, count, y, [](Doubles v) -> Doubles { return ONNXCMP_SLEEF_DOUBLE(name, u10)(v); }); \
  }
ONNXCMP_VEC_DEFINE(Exp, exp)
ONNXCMP_VEC_DEFINE(Expm1, expm1)
ONNXCMP_VEC_DEFINE(Log, log)
ONNXCMP_VEC_DEFINE(Log1p, log1p)
ONNXCMP_VEC_DEFINE(Log2, log2)
ONNXCMP_VEC_DEFINE(Asin, asin)
ONNXCMP_VEC_DEFINE(Acos, acos)
ONNXCMP_VEC_DEFINE(Atan, atan)
ONNXCMP_VEC_DEFINE(Tanh, tanh)
ONNXCMP_VEC_DEFINE(Atanh, atanh)
ONNXCMP_VEC_DEFINE(Erf, erf)
#undef ONNXCMP_VEC_DEFINE

void Sinh(const float* x, int64_t count, float* y) { SinhTo(x, count, y); }
void Sinh(const double* x, int64_t count, double* y) { SinhTo(x, count, y); }
void Cosh(const float* x, int64_t count, float* y) { CoshTo(x, count, y); }
void Cosh(const double* x, int64_t count, double* y) { CoshTo(x, count, y); }
void Asinh(const float* x, int64_t count, float* y) { AsinhTo(x, count, y); }
void Asinh(const double* x, int64_t count, double* y) { AsinhTo(x, count, y); }
void Acosh(const float* x, int64_t count, float* y) { AcoshTo(x, count, y); }
void Acosh(const double* x, int64_t count, double* y) { AcoshTo(x, count, y); }

#define ONNXCMP_VEC_DEFINE_PERIODIC(Name, name)                                                    \
  void Name(const float* x, int64_t count, float* y) {                                             \
    Apply(x, count, y, [](Floats v) {                                                              \
      return InRanges(v, [](Floats u) -> Floats { return ONNXCMP_SLEEF_FLOAT(name, u10)(u); });    \
    });                                                                                            \
  }                                                                                                \
  void Name(const double* x, int64_t count, double* y) {                                           \
    Apply(x, count, y, [](Doubles v) {                                                             \
      return InRanges(v, [](Doubles u) -> Doubles { return ONNXCMP_SLEEF_DOUBLE(name, u10)(u); }); \
    });                                                                                            \
  }
ONNXCMP_VEC_DEFINE_PERIODIC(Sin, sin)
ONNXCMP_VEC_DEFINE_PERIODIC(Cos, cos)
ONNXCMP_VEC_DEFINE_PERIODIC(Tan, tan)
#undef ONNXCMP_VEC_DEFINE_PERIODIC

void Sqrt(const float* x, int64_t count, float* y) {
  Apply(x, count, y, [](Floats v) -> Floats { return ONNXCMP_SLEEF_FLOAT(sqrt, )(v); });
}
void Sqrt(const double* x, int64_t count, double* y) {
  Apply(x, count, y, [](Doubles v) -> Doubles { return ONNXCMP_SLEEF_DOUBLE(sqrt, )(v); });
}
void Sigmoid(const float* x, int64_t count, float* y) { SigmoidOf(x, count, y); }
void Sigmoid(const double* x, int64_t count, double* y) { SigmoidOf(x, count, y); }
void Gelu(const float* x, int64_t count, float* y) { GeluOf(x, count, y); }
void Gelu(const double* x, int64_t count, double* y) { GeluOf(x, count, y); }
void Pow(const float* x, const float* y, int64_t count, float* z) { PowOrProduct(x, y, count, z); }
void Pow(const double* x, const double* y, int64_t count, double* z) {
  PowOrProduct(x, y, count, z);
}

}  // namespace onnxcmp::vec

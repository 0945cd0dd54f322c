#include "ops/common/functions/vector_math.h"

#include <cstring>

#if (defined(__AVX2__) && defined(__FMA__)) || defined(__aarch64__)
#include <sleef.h>
#endif

#include "ops/common/functions/float_formulas.h"
#include "ops/common/functions/float_functions.h"
#include "ops/common/functions/float_math.h"
#include "ops/common/functions/fused/functions.h"
#include "ops/common/functions/gelu_tanh.h"
#include "ops/common/functions/packet.h"

namespace onnxcmp {
namespace vec {
namespace {

#if defined(__AVX2__) && defined(__FMA__)
#define ONNXCMP_SLEEF_FLOAT(name, accuracy) Sleef_##name##f8_##accuracy##avx2
#define ONNXCMP_SLEEF_DOUBLE(name, accuracy) Sleef_##name##d4_##accuracy##avx2
#elif defined(__aarch64__)
#define ONNXCMP_SLEEF_FLOAT(name, accuracy) Sleef_##name##f4_##accuracy##advsimd
#define ONNXCMP_SLEEF_DOUBLE(name, accuracy) Sleef_##name##d2_##accuracy##advsimd
#else
#define ONNXCMP_SLEEF_FLOAT(name, accuracy) fused::name
#define ONNXCMP_SLEEF_DOUBLE(name, accuracy) fused::name
#endif

template <typename T, typename F>
void ApplyBinary(const T* x, const T* y, int64_t count, T* z, F f) {
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

using vec::ExpOf;  // of pairs of floats
Floats ExpOf(Floats x) { return ExpOf(FloatPair{x, x}).first; }
Doubles ExpOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(exp, u10)(x); }
Doubles TanhOf(Doubles x) { return ONNXCMP_SLEEF_DOUBLE(tanh, u10)(x); }
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

// Those that the processor is best at, chosen once.
const FloatMath& BestFloatFunctions() {
  static const FloatMath kFunctions = FloatFunctionsOf(BestInstructions());
  return kFunctions;
}

// Squares and cubes are products, for each element alone; packets that hold nothing else, as most
// models write them, are done with that.
template <typename T>
void PowOrProduct(const T* x, const T* y, int64_t count, T* z) {
  ApplyBinary(x, y, count, z, [](auto base, auto exponent) {
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
ONNXCMP_VEC_DEFINE(Expm1, expm1)
ONNXCMP_VEC_DEFINE(Log, log)
ONNXCMP_VEC_DEFINE(Log1p, log1p)
ONNXCMP_VEC_DEFINE(Log2, log2)
ONNXCMP_VEC_DEFINE(Asin, asin)
ONNXCMP_VEC_DEFINE(Acos, acos)
ONNXCMP_VEC_DEFINE(Atan, atan)
ONNXCMP_VEC_DEFINE(Atanh, atanh)
#undef ONNXCMP_VEC_DEFINE

void Sinh(const float* x, int64_t count, float* y) { SinhTo(x, count, y); }
void Sinh(const double* x, int64_t count, double* y) { SinhTo(x, count, y); }
void Cosh(const float* x, int64_t count, float* y) { CoshTo(x, count, y); }
void Cosh(const double* x, int64_t count, double* y) { CoshTo(x, count, y); }
void Asinh(const float* x, int64_t count, float* y) { AsinhTo(x, count, y); }
void Asinh(const double* x, int64_t count, double* y) { AsinhTo(x, count, y); }
void Acosh(const float* x, int64_t count, float* y) { AcoshTo(x, count, y); }
void Acosh(const double* x, int64_t count, double* y) { AcoshTo(x, count, y); }

void Exp(const float* x, int64_t count, float* y) { BestFloatFunctions().exp(x, count, y); }
void Exp(const double* x, int64_t count, double* y) {
  Apply(x, count, y, [](Doubles v) { return ExpOf(v); });
}
void Tanh(const float* x, int64_t count, float* y) { BestFloatFunctions().tanh(x, count, y); }
void Tanh(const double* x, int64_t count, double* y) {
  Apply(x, count, y, [](Doubles v) { return TanhOf(v); });
}
void Erf(const float* x, int64_t count, float* y) { BestFloatFunctions().erf(x, count, y); }
void Erf(const double* x, int64_t count, double* y) {
  Apply(x, count, y, [](Doubles v) { return ErfOf(v); });
}
void Sigmoid(const float* x, int64_t count, float* y) { BestFloatFunctions().sigmoid(x, count, y); }
void Sigmoid(const double* x, int64_t count, double* y) {
  Apply(x, count, y,
        [](Doubles v) { return SigmoidBy<double>([](Doubles u) { return ExpOf(u); }, v); });
}
void Gelu(const float* x, int64_t count, float* y) { BestFloatFunctions().gelu(x, count, y); }
void Gelu(const double* x, int64_t count, double* y) {
  Apply(x, count, y,
        [](Doubles v) { return GeluBy<double>([](Doubles u) { return ErfOf(u); }, v); });
}

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
void Pow(const float* x, const float* y, int64_t count, float* z) { PowOrProduct(x, y, count, z); }
void Pow(const double* x, const double* y, int64_t count, double* z) {
  PowOrProduct(x, y, count, z);
}
void ExpOfDifference(const float* x, float subtrahend, int64_t count, float* y) {
  BestFloatFunctions().exp_of_difference(x, subtrahend, count, y);
}
void ExpOfDifference(const double* x, double subtrahend, int64_t count, double* y) {
  Apply(x, count, y, [subtrahend](Doubles v) { return ExpOf(v - Fill(subtrahend)); });
}

FloatMath FloatFunctionsOf([[maybe_unused]] Instructions instructions) {
#ifdef ONNXCMP_HAS_AVX512
  if (instructions != Instructions::kBase) return avx512::FloatFunctions();
#endif
  return base::FloatFunctions();
}

}  // namespace vec

void GeluTanh(const float* x, int64_t count, float* y) {
  vec::BestFloatFunctions().gelu_tanh(x, count, y);
}
void GeluTanh(const double* x, int64_t count, double* y) {
  using vec::Doubles;
  vec::Apply(x, count, y, [](Doubles v) {
    return vec::GeluTanhBy<double>([](Doubles u) { return vec::TanhOf(u); }, v);
  });
}

}  // namespace onnxcmp

#include "ops/common/functions/vector_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/base/instructions.h"
#include "ops/common/functions/float_math.h"
#include "ops/common/functions/gelu_tanh.h"
#include "ops/common/reduction/softmax.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

struct Function {
  std::string name;
  void (*f)(const float*, int64_t, float*);
  void (*d)(const double*, int64_t, double*);
  long double (*exact)(long double);
  double least, greatest;  // of the arguments that are tried for accuracy
};

const Function kFunctions[] = {
    {"exp", vec::Exp, vec::Exp, std::exp, -87, 88},
    {"expm1", vec::Expm1, vec::Expm1, std::expm1, -20, 88},
    {"log", vec::Log, vec::Log, std::log, 1e-30, 1e30},
    {"log1p", vec::Log1p, vec::Log1p, std::log1p, -0.999, 1e30},
    {"log2", vec::Log2, vec::Log2, std::log2, 1e-30, 1e30},
    {"sin", vec::Sin, vec::Sin, std::sin, -1e4, 1e4},
    {"cos", vec::Cos, vec::Cos, std::cos, -1e4, 1e4},
    {"tan", vec::Tan, vec::Tan, std::tan, -1e4, 1e4},
    {"asin", vec::Asin, vec::Asin, std::asin, -1, 1},
    {"acos", vec::Acos, vec::Acos, std::acos, -1, 1},
    {"atan", vec::Atan, vec::Atan, std::atan, -100, 100},
    {"sinh", vec::Sinh, vec::Sinh, std::sinh, -88, 88},
    {"cosh", vec::Cosh, vec::Cosh, std::cosh, -88, 88},
    {"tanh", vec::Tanh, vec::Tanh, std::tanh, -20, 20},
    {"asinh", vec::Asinh, vec::Asinh, std::asinh, -1e4, 1e4},
    {"acosh", vec::Acosh, vec::Acosh, std::acosh, 1, 1e4},
    {"atanh", vec::Atanh, vec::Atanh, std::atanh, -0.999, 0.999},
    {"erf", vec::Erf, vec::Erf, std::erf, -5, 5},
    {"sqrt", vec::Sqrt, vec::Sqrt, std::sqrt, 0, 1e30},
};

// |got - want| in units of the last place of want.
template <typename T>
double Ulps(T got, long double want) {
  const T rounded = static_cast<T>(want);
  const T unit = std::max(
      std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity()) - std::fabs(rounded),
      std::numeric_limits<T>::denorm_min());
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

TEST(VectorMathTest, WithinOneUnitOfTheCLibrary) {
  std::mt19937 random(1);
  for (const Function& function : kFunctions) {
    std::uniform_real_distribution<double> argument(function.least, function.greatest);
    std::vector<double> x(4000), y(x.size());
    std::vector<float> xf(x.size()), yf(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = argument(random);
      xf[i] = static_cast<float>(x[i]);
    }
    function.d(x.data(), std::ssize(x), y.data());
    function.f(xf.data(), std::ssize(xf), yf.data());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(Ulps(y[i], function.exact(x[i])), 1.01) << function.name << "(" << x[i] << ")";
      ASSERT_LE(Ulps(yf[i], function.exact(xf[i])), 1.01) << function.name << "(" << xf[i] << ")";
    }
  }
}

// SLEEF's own give infinity here, long before the result overflows.
TEST(VectorMathTest, LargeArgumentsOfHyperbolicFunctions) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr float kMostFloat = std::numeric_limits<float>::max();
  const auto expect_close = [](const auto& function, auto argument) {
    decltype(argument) x[] = {argument, -argument};
    decltype(argument) y[2];
    function.first(x, 2, y);
    EXPECT_LE(Ulps(y[0], function.second(x[0])), 3) << x[0];
    EXPECT_TRUE(y[1] == -y[0] || y[1] == y[0] || std::isnan(y[1])) << y[1];
    // The sign of a NaN is the processor's.
    if (std::isnan(y[1])) return;
    EXPECT_EQ(std::signbit(y[1]), std::signbit(function.second(x[1]))) << x[1];
  };
  using Exact = long double (*)(long double);
  using F = std::pair<void (*)(const float*, int64_t, float*), Exact>;
  using D = std::pair<void (*)(const double*, int64_t, double*), Exact>;
  for (const F& f : {F{vec::Asinh, std::asinh}, F{vec::Acosh, std::acosh}}) {
    for (float x : {0.99e9f, 1e9f, 1e15f, 1e30f, kMostFloat}) expect_close(f, x);
  }
  for (const D& f : {D{vec::Asinh, std::asinh}, D{vec::Acosh, std::acosh}}) {
    for (double x : {0.99e9, 1e9, 1e30, 1e200, kMost}) expect_close(f, x);
  }
  for (const F& f : {F{vec::Sinh, std::sinh}, F{vec::Cosh, std::cosh}}) {
    for (float x : {87.9f, 88.0f, 88.8f, 89.4f}) expect_close(f, x);
  }
  for (const D& f : {D{vec::Sinh, std::sinh}, D{vec::Cosh, std::cosh}}) {
    for (double x : {708.9, 709.0, 710.0, 710.4}) expect_close(f, x);
  }
}

// Arguments of every magnitude, so that a packet holds small and large ones together.
std::vector<float> MixedArguments(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(count);
  for (float& value : x) {
    switch (random() % 4) {
      case 0:
        value = std::bit_cast<float>(static_cast<uint32_t>(random()));
        break;
      case 1:
        value = std::uniform_real_distribution<float>(-200, 200)(random);
        break;
      default:
        value = std::ldexp(normal(random), static_cast<int>(random() % 60) - 10);
    }
  }
  return x;
}

template <typename T>
bool SameBits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b) || (std::isnan(a) && std::isnan(b));
}

template <typename T>
void ExpectNoNeighbourMatters(const Function& function, void (*f)(const T*, int64_t, T*)) {
  const std::vector<float> arguments = MixedArguments(8192, 7);
  const std::vector<T> x(arguments.begin(), arguments.end());
  std::vector<T> together(x.size());
  f(x.data(), std::ssize(x), together.data());
  for (size_t i = 0; i < x.size(); ++i) {
    T alone = 0;
    f(&x[i], 1, &alone);
    ASSERT_TRUE(SameBits(alone, together[i])) << function.name << "(" << x[i] << ")";
  }
  for (size_t offset = 0; offset <= 16; ++offset) {
    for (size_t count = 0; count <= 35; ++count) {
      std::vector<T> y(count + 1, T{42});
      f(x.data() + offset, static_cast<int64_t>(count), y.data());
      EXPECT_EQ(y[count], T{42}) << function.name << " wrote beyond the end";
      for (size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(SameBits(y[i], together[offset + i])) << function.name;
      }
    }
  }
}

// Where a value lies and what lies beside it do not matter. (They do in SLEEF's sin, cos and tan.)
TEST(VectorMathTest, NoNeighbourMatters) {
  for (const Function& function : kFunctions) {
    ExpectNoNeighbourMatters<float>(function, function.f);
    ExpectNoNeighbourMatters<double>(function, function.d);
  }
  const Function composed[] = {{"sigmoid", vec::Sigmoid, vec::Sigmoid, nullptr, 0, 0},
                               {"gelu", vec::Gelu, vec::Gelu, nullptr, 0, 0},
                               {"gelu by tanh", GeluTanh, GeluTanh, nullptr, 0, 0}};
  for (const Function& function : composed) {
    ExpectNoNeighbourMatters<float>(function, function.f);
    ExpectNoNeighbourMatters<double>(function, function.d);
  }
}

// exp has a quicker way where all arguments of two packets are moderate.
TEST(VectorMathTest, OneExtremeArgumentDoesNotChangeTheOthers) {
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 86.9f - 5.6f * static_cast<float>(i);
  x[31] = -86.999f;
  std::vector<float> y(x.size());
  vec::Exp(x.data(), std::ssize(x), y.data());
  for (const float extreme : {87.0f, 88.8f, -87.5f, -103.9f, kInf, -kInf, kNaN}) {
    for (size_t at = 0; at < x.size(); ++at) {
      std::vector<float> mixed = x;
      mixed[at] = extreme;
      vec::Exp(mixed.data(), std::ssize(mixed), mixed.data());
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_TRUE(i == at || SameBits(mixed[i], y[i])) << x[i] << " beside " << extreme;
      }
    }
  }
}

// Where tanh and erf change from one formula to the other, and where they end in 1.
// One float of 1009 from all there are, in arrays of all lengths up to two packets.
TEST(VectorMathTest, VectorWidthChangesNoBit) {
  if (!HasInstructions(Instructions::kAvx512)) GTEST_SKIP() << "no AVX-512 here";
  const vec::FloatMath base = vec::FloatFunctionsOf(Instructions::kBase);
  const vec::FloatMath wide = vec::FloatFunctionsOf(Instructions::kAvx512);
  using Function = vec::FloatMath::Function vec::FloatMath::*;
  const std::pair<const char*, Function> functions[] = {
      {"exp", &vec::FloatMath::exp},   {"tanh", &vec::FloatMath::tanh},
      {"erf", &vec::FloatMath::erf},   {"sigmoid", &vec::FloatMath::sigmoid},
      {"gelu", &vec::FloatMath::gelu}, {"gelu_tanh", &vec::FloatMath::gelu_tanh},
  };
  float x[65], one[65], other[65];
  size_t length = 1;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; length = length % 65 + 1) {
    for (size_t i = 0; i < length; ++i, bits += 1009) {
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(bits));
    }
    const auto count = static_cast<int64_t>(length);
    for (const auto& [name, function] : functions) {
      (base.*function)(x, count, one);
      (wide.*function)(x, count, other);
      ASSERT_EQ(std::memcmp(one, other, length * sizeof(float)), 0) << name << " of " << x[0];
    }
    base.exp_of_difference(x, 0.75f, count, one);
    wide.exp_of_difference(x, 0.75f, count, other);
    ASSERT_EQ(std::memcmp(one, other, length * sizeof(float)), 0) << "difference " << x[0];
  }
}

TEST(VectorMathTest, SeamsOfTanhAndErf) {
  for (const Function& function : kFunctions) {
    if (function.name != "tanh" && function.name != "erf") continue;
    for (const float seam : {475.0f / 512, 1.0f, 3.9f, 9.01f, 10.0f}) {
      float x = std::nextafter(std::nextafter(seam, 0.0f), 0.0f);
      for (int i = 0; i < 5; ++i, x = std::nextafter(x, kInf)) {
        const float both[2] = {x, -x};
        float y[2];
        function.f(both, 2, y);
        ASSERT_LE(Ulps(y[0], function.exact(x)), 1) << function.name << "(" << x << ")";
        ASSERT_EQ(y[1], -y[0]) << function.name << "(" << -x << ")";
      }
    }
  }
}

template <typename T>
void ExpectExpOfDifference() {
  const T x[] = {3, -1, -500, static_cast<T>(-kInf), static_cast<T>(kNaN), 2.5};
  T y[6];
  vec::ExpOfDifference(x, T{3}, 6, y);
  EXPECT_EQ(y[0], 1);
  EXPECT_LE(Ulps(y[1], std::exp(-4.0L)), 1.01);
  EXPECT_LE(y[2], T{1e-200L});
  EXPECT_EQ(y[3], 0);
  EXPECT_TRUE(std::isnan(y[4]));
  EXPECT_LE(Ulps(y[5], std::exp(-0.5L)), 1.01);
  T of_infinity[6];  // infinity - infinity
  vec::ExpOfDifference(x, static_cast<T>(-kInf), 6, of_infinity);
  EXPECT_EQ(of_infinity[0], kInf);
  EXPECT_TRUE(std::isnan(of_infinity[3]));
}

TEST(VectorMathTest, ExpOfDifference) {
  ExpectExpOfDifference<float>();
  ExpectExpOfDifference<double>();
}

TEST(VectorMathTest, SpecialValues) {
  const auto of = [](void (*f)(const float*, int64_t, float*), float x) {
    float y = 0;
    f(&x, 1, &y);
    return y;
  };
  EXPECT_EQ(of(vec::Exp, kInf), kInf);
  EXPECT_EQ(of(vec::Exp, -kInf), 0);
  EXPECT_EQ(of(vec::Exp, 89.0f), kInf);
  EXPECT_FLOAT_EQ(of(vec::Exp, -100.0f), 3.783506e-44f);  // a denormal
  EXPECT_EQ(of(vec::Exp, 88.7f), 0x1.f46ff8p+127f);
  for (const auto& f : {static_cast<void (*)(const float*, int64_t, float*)>(vec::Tanh),
                        static_cast<void (*)(const float*, int64_t, float*)>(vec::Erf)}) {
    EXPECT_TRUE(SameBits(of(f, -0.0f), -0.0f));
    EXPECT_TRUE(SameBits(of(f, 0.0f), 0.0f));
    EXPECT_EQ(of(f, kInf), 1);
    EXPECT_EQ(of(f, -kInf), -1);
    EXPECT_TRUE(std::isnan(of(f, kNaN)));
  }
  EXPECT_EQ(of(vec::Log, 0.0f), -kInf);
  EXPECT_TRUE(std::isnan(of(vec::Log, -1.0f)));
  EXPECT_EQ(of(vec::Tanh, kInf), 1);
  EXPECT_TRUE(std::signbit(of(vec::Tanh, -0.0f)));
  EXPECT_EQ(of(vec::Erf, -kInf), -1);
  EXPECT_TRUE(std::isnan(of(vec::Sqrt, -1.0f)));
  EXPECT_TRUE(std::isnan(of(vec::Sin, kInf)));
  EXPECT_EQ(of(vec::Sigmoid, kInf), 1);
  EXPECT_EQ(of(vec::Sigmoid, -kInf), 0);
  EXPECT_EQ(of(vec::Sigmoid, 0.0f), 0.5f);
  EXPECT_NEAR(of(vec::Sigmoid, -90.0f), 8.194013e-40, 3e-45);  // 1 / (1 + e^90) would be 0
  EXPECT_EQ(of(vec::Gelu, kInf), kInf);
  EXPECT_FLOAT_EQ(of(vec::Gelu, 1.0f), 0.8413447f);
  EXPECT_EQ(of(GeluTanh, kInf), kInf);
  EXPECT_TRUE(std::isnan(of(GeluTanh, -kInf)));
  EXPECT_TRUE(SameBits(of(GeluTanh, -0.0f), -0.0f));
  EXPECT_FLOAT_EQ(of(GeluTanh, 1.0f), 0.8411920f);  // in double: 0.84119199
  for (const Function& function : kFunctions) {
    EXPECT_TRUE(std::isnan(of(function.f, NAN))) << function.name;
  }
}

TEST(VectorMathTest, Pow) {
  const std::vector<float> x = {2, -2, 0, -0.0f, kInf, -1, 1.1f, NAN, 5, 9, -kInf, 3};
  const std::vector<float> y = {10, 3, -1, 0, 0.5f, 0.5f, 2, 0, NAN, 0.5f, 2, 3};
  std::vector<float> z(x.size());
  vec::Pow(x.data(), y.data(), std::ssize(x), z.data());
  const std::vector<float> want = {1024, -8, kInf, 1, kInf, NAN, 1.1f * 1.1f, 1, NAN, 3, kInf, 27};
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(SameBits(z[i], want[i])) << x[i] << " ^ " << y[i] << " = " << z[i];
  }
}

TEST(VectorMathTest, EigenArraysAreTakenAndReturned) {
  const Eigen::Array3d x(0, 1, 2);
  const Eigen::Array3d y = 1 + vec::Exp(-x) * 2;
  EXPECT_DOUBLE_EQ(y[2], 1 + std::exp(-2.0) * 2);
}

}  // namespace
}  // namespace onnxcmp::testing

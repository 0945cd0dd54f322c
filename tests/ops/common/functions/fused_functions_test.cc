// SLEEF's functions for processors without fused multiply-adds have the bits of those that this
// processor takes.
#include "ops/common/functions/fused/functions.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ops/common/functions/vector_math.h"

namespace onnxcmp {
namespace {

template <typename T>
struct Function {
  const char* name;
  T (*fused)(T);
  void (*here)(const T*, int64_t, T*);
  double bound;  // of the arguments; beyond it vector_math.cc does without SLEEF
};

constexpr double kAny = std::numeric_limits<double>::infinity();

template <typename T>
std::vector<Function<T>> FunctionsOfSleef() {
  constexpr double kSinh = sizeof(T) == 4 ? 88 : 709;
  return {
      {"expm1", vec::fused::expm1, vec::Expm1, kAny}, {"log", vec::fused::log, vec::Log, kAny},
      {"log1p", vec::fused::log1p, vec::Log1p, kAny}, {"log2", vec::fused::log2, vec::Log2, kAny},
      {"sin", vec::fused::sin, vec::Sin, kAny},       {"cos", vec::fused::cos, vec::Cos, kAny},
      {"tan", vec::fused::tan, vec::Tan, kAny},       {"asin", vec::fused::asin, vec::Asin, kAny},
      {"acos", vec::fused::acos, vec::Acos, kAny},    {"atan", vec::fused::atan, vec::Atan, kAny},
      {"sinh", vec::fused::sinh, vec::Sinh, kSinh},   {"cosh", vec::fused::cosh, vec::Cosh, kSinh},
      {"asinh", vec::fused::asinh, vec::Asinh, 1e9},  {"acosh", vec::fused::acosh, vec::Acosh, 1e9},
      {"atanh", vec::fused::atanh, vec::Atanh, kAny}, {"sqrt", vec::fused::sqrt, vec::Sqrt, kAny}};
}

// Small, middle and large numbers, all bit patterns, and the special ones.
template <typename T>
std::vector<T> Arguments() {
  std::vector<T> arguments = {T{0}, -T{0}, T{1}, -T{1}};
  for (const T x : {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                    std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max()}) {
    arguments.push_back(x);
    arguments.push_back(-x);
  }
  std::mt19937_64 random(3);
  for (const double bound : {1.0, 100.0, 1e5}) {
    std::uniform_real_distribution<double> numbers(-bound, bound);
    for (int i = 0; i < 10000; ++i) arguments.push_back(static_cast<T>(numbers(random)));
  }
  for (int i = 0; i < 10000; ++i) {
    const uint64_t bits = random();
    T x;
    std::memcpy(&x, &bits, sizeof(x));
    arguments.push_back(x);
  }
  return arguments;
}

template <typename T>
bool IsSame(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

template <typename T>
void ExpectSameBits() {
  const std::vector<T> x = Arguments<T>();
  std::vector<T> y(x.size());
  for (const Function<T>& function : FunctionsOfSleef<T>()) {
    function.here(x.data(), std::ssize(x), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::fabs(x[i]) > function.bound) continue;
      ASSERT_TRUE(IsSame(function.fused(x[i]), y[i])) << function.name << "(" << x[i] << ")";
    }
  }
}

template <typename T>
void ExpectSamePowers() {
  const std::vector<T> x = Arguments<T>();
  std::vector<T> exponents(x.size());
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> numbers(-40, 40);
  for (T& y : exponents) y = static_cast<T>(std::rint(numbers(random)) / 4 + 0.125);
  std::vector<T> z(x.size());
  vec::Pow(x.data(), exponents.data(), std::ssize(x), z.data());
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(IsSame(vec::fused::pow(x[i], exponents[i]), z[i])) << x[i] << " ^ " << exponents[i];
  }
}

TEST(FusedFunctionsTest, HaveTheBitsOfThisProcessorsFunctions) {
  ExpectSameBits<float>();
  ExpectSameBits<double>();
}

TEST(FusedFunctionsTest, PowersHaveThemToo) {
  ExpectSamePowers<float>();
  ExpectSamePowers<double>();
}

// exp, tanh and erf of floats are not SLEEF's.
TEST(FusedFunctionsTest, FunctionsOfDoublesAlone) {
  const std::vector<double> x = Arguments<double>();
  std::vector<double> y(x.size());
  const Function<double> functions[] = {{"exp", vec::fused::exp, vec::Exp, kAny},
                                        {"tanh", vec::fused::tanh, vec::Tanh, kAny},
                                        {"erf", vec::fused::erf, vec::Erf, kAny}};
  for (const Function<double>& function : functions) {
    function.here(x.data(), std::ssize(x), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(IsSame(function.fused(x[i]), y[i])) << function.name << "(" << x[i] << ")";
    }
  }
}

}  // namespace
}  // namespace onnxcmp

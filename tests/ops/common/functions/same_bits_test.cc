// The elementary functions have the same bits on all processors that docs/numerics.md names: hashes
// of many results, which AVX2, AVX-512 and NEON give alike. A function that is changed on purpose
// gets a new hash here.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ops/common/functions/vector_math.h"
#include "ops/common/signal/fft.h"

namespace onnxcmp {
namespace {

// Numbers below 1, below 100 and below 100,000, all bit patterns, and the special ones.
template <typename T>
std::vector<T> Arguments() {
  constexpr int kEach = 20000;
  std::mt19937_64 random(7);
  std::vector<T> arguments = {T{0},
                              -T{0},
                              1,
                              -1,
                              std::numeric_limits<T>::infinity(),
                              -std::numeric_limits<T>::infinity(),
                              std::numeric_limits<T>::quiet_NaN(),
                              std::numeric_limits<T>::denorm_min(),
                              std::numeric_limits<T>::max()};
  for (const double bound : {1.0, 100.0, 1e5}) {
    for (int i = 0; i < kEach; ++i) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      arguments.push_back(static_cast<T>((2 * unit - 1) * bound));
    }
  }
  for (int i = 0; i < kEach; ++i) {
    const uint64_t bits = random();
    T x;
    std::memcpy(&x, &bits, sizeof(x));
    arguments.push_back(x);
  }
  return arguments;
}

// NaN counts as one value: its sign and payload are the processor's.
template <typename T>
uint64_t HashOf(const std::vector<T>& values) {
  uint64_t hash = 1;
  for (const T value : values) {
    uint64_t bits = 1;
    if (value == value) {
      bits = 0;
      std::memcpy(&bits, &value, sizeof(value));
    }
    hash = (hash ^ bits) * 0x100000001B3;
    hash ^= hash >> 29;
  }
  return hash;
}

struct Function {
  const char* name;
  void (*of_floats)(const float* x, int64_t count, float* y);
  void (*of_doubles)(const double* x, int64_t count, double* y);
  uint64_t floats;
  uint64_t doubles;
};

template <typename T>
void PowerOf(const T* x, int64_t count, T* y) {
  const std::vector<T> exponents(static_cast<size_t>(count), T{2.7F});
  vec::Pow(x, exponents.data(), count, y);
}

const Function kFunctions[] = {
#define ONNXCMP_FUNCTION(name, floats, doubles) {#name, vec::name, vec::name, floats, doubles},
    ONNXCMP_FUNCTION(Exp, 0x58C32670DF4BF081, 0xF0B6F1DCF0D488EE) ONNXCMP_FUNCTION(
        Expm1, 0x5B7AD728CFE2956E, 0xED8FE71F43FCBAA1) ONNXCMP_FUNCTION(Log, 0xBAE3B9CEEF2495A7,
                                                                        0x0E90CB7E80EC8053)
        ONNXCMP_FUNCTION(Log1p, 0x0EAB4716FB0FC5D9, 0xA4FEBA0BFA685EC6) ONNXCMP_FUNCTION(
            Log2, 0x8DEBFE2E60A8A5E0, 0x2A475880E1E02BB8) ONNXCMP_FUNCTION(Sin, 0x86D061823C8597B4,
                                                                           0x0DA87ECBA0694888)
            ONNXCMP_FUNCTION(Cos, 0xEFDE05EFC5BC2268, 0xB63735B5E3293E23) ONNXCMP_FUNCTION(
                Tan, 0x3E87E8718B3C2D44,
                0xC32647A46F90F1D6) ONNXCMP_FUNCTION(Asin, 0xBFFEF1ECF00F6389, 0x867E59EE5711EF62)
                ONNXCMP_FUNCTION(Acos, 0x71F48B7913940FD4, 0x6B9A09BFA3BC60EA) ONNXCMP_FUNCTION(
                    Atan, 0x58F8EA608ED25156, 0x4A4AF87DAFDE52E3)
                    ONNXCMP_FUNCTION(Sinh, 0x3D0E60BBA223C238, 0x585A98E73C9E971C) ONNXCMP_FUNCTION(
                        Cosh, 0x59D10ECE6497754D, 0xB0D177C7FD25F9F8)
                        ONNXCMP_FUNCTION(Tanh, 0x1A53C476C8B0BE9B, 0xABBD43AAC0125C96)
                            ONNXCMP_FUNCTION(Asinh, 0x6BCC9ED6D7CD9DAE, 0xAAD2AD23FFC066C4)
                                ONNXCMP_FUNCTION(Acosh, 0x2E42F0C0DAC74877, 0x5D685AEE86D13A46)
                                    ONNXCMP_FUNCTION(Atanh, 0x4642221A9FCEC079, 0xCC30215CB64E2848)
                                        ONNXCMP_FUNCTION(Erf, 0x94F371DB01D7806F,
                                                         0xD96E28C0CA03A2D1)
                                            ONNXCMP_FUNCTION(Sqrt, 0xD33ADA9DC48B8F9D,
                                                             0xBD4128D78EE4CC71)
                                                ONNXCMP_FUNCTION(Sigmoid, 0x1BD663DD60FE8823,
                                                                 0x1CD73B87A927E83C)
                                                    ONNXCMP_FUNCTION(Gelu, 0xD432A60060A55D00,
                                                                     0x03D5651EBD332843)
#undef ONNXCMP_FUNCTION
                                                        {"Pow", PowerOf<float>, PowerOf<double>,
                                                         0xA6FE72EE695FD63B, 0x4F94F6588B5B104C},
};

template <typename T, typename F>
uint64_t HashOfResults(F function) {
  const std::vector<T> arguments = Arguments<T>();
  std::vector<T> results(arguments.size());
  function(arguments.data(), static_cast<int64_t>(arguments.size()), results.data());
  return HashOf(results);
}

TEST(SameBitsTest, FunctionsOnAllProcessors) {
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.name);
    EXPECT_EQ(HashOfResults<float>(function.of_floats), function.floats);
    EXPECT_EQ(HashOfResults<double>(function.of_doubles), function.doubles);
  }
}

// Powers of two and other lengths, whose factors come from a sine and a cosine.
TEST(SameBitsTest, FourierTransformsOnAllProcessors) {
  std::mt19937_64 random(7);
  std::vector<double> results;
  for (const int64_t length : {8, 10, 64, 243, 1000, 4096}) {
    std::vector<std::complex<double>> values;
    for (int64_t i = 0; i < length; ++i) {
      const double real = static_cast<double>(random() >> 11) * 0x1p-53;
      values.emplace_back(real, static_cast<double>(random() >> 11) * 0x1p-53);
    }
    Fft(length).Transform(values.data(), false);
    for (const std::complex<double>& value : values) {
      results.push_back(value.real());
      results.push_back(value.imag());
    }
  }
  EXPECT_EQ(HashOf(results), 0x8FE71F050BC54BF4);
}

}  // namespace
}  // namespace onnxcmp

#include "evaluator/base/fused_float.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

void ExpectTheSame(float a, float b, float c) {
  const float ours = FusedFloat(a, b, c);
  const float expected = std::fma(a, b, c);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(ours)) << a << " * " << b << " + " << c;
  } else {
    EXPECT_EQ(std::bit_cast<uint32_t>(ours), std::bit_cast<uint32_t>(expected))
        << a << " * " << b << " + " << c;
  }
}

TEST(FusedFloatTest, SpecialNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float numbers[] = {0,
                           -0.0F,
                           1,
                           -1,
                           kInfinity,
                           -kInfinity,
                           std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::denorm_min(),
                           std::numeric_limits<float>::min(),
                           std::numeric_limits<float>::max(),
                           0x1.000002p0F,
                           0x1.000002p12F};
  for (const float a : numbers) {
    for (const float b : numbers) {
      for (const float c : numbers) ExpectTheSame(a, b, c);
    }
  }
}

// The product of the first two lies between two floats, and the third one decides to which side.
TEST(FusedFloatTest, RoundsOnce) {
  ExpectTheSame(0x1.000002p0F, 0x1.000002p0F, -0x1p-47F);
  ExpectTheSame(0x1.001p0F, 0x1.001p0F, 0x1p-60F);
  ExpectTheSame(0x1.001p0F, 0x1.001p0F, -0x1p-60F);
}

TEST(FusedFloatTest, ManyNumbers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = random();
    const auto a = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const auto b = std::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
    const auto c = std::bit_cast<float>(static_cast<uint32_t>(random()));
    ExpectTheSame(a, b, c);
    ExpectTheSame(a, b, -a * b);
    // Denormal results: the magnitudes of both factors are in [2^-75, 2^-65].
    const auto small = [](uint64_t x) {
      const uint64_t exponent = 52 + x % 10;
      return std::bit_cast<float>(static_cast<uint32_t>((x & 0x807FFFFF) | exponent << 23));
    };
    ExpectTheSame(small(bits), small(bits >> 32), 0x1p-149F);
  }
}

}  // namespace
}  // namespace onnxcmp

// Every set of vector instructions gives the same bits, and what one would add up by hand.
#include "record/streams/fingerprint_loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/instructions_here.h"

namespace onnxcmp {
namespace {

using testing::InstructionsHere;

// Of all sizes, with zeros of both signs and denormal numbers.
template <typename T>
std::vector<T> FiniteNumbers(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<T> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const int exponent = static_cast<int>(generator() % 40) - 20;
    numbers.push_back(static_cast<T>(std::ldexp(normal(generator), exponent)));
    const unsigned kind = generator() % 50;
    if (kind == 0) numbers.back() = T{0};
    if (kind == 1) numbers.back() = -T{0};
    if (kind == 2) numbers.back() = std::numeric_limits<T>::denorm_min();
    if (kind == 3) numbers.back() = std::numeric_limits<T>::lowest() / T{1e8F};
  }
  return numbers;
}

struct Added {
  std::array<double, 64> plain = {};
  std::array<double, 64> squashed = {};
  NumberSums sums;
};

constexpr double kShift = 0.25;

template <typename T>
Added Add(const FingerprintLoops& loops, const std::vector<T>& numbers,
          const std::vector<uint64_t>& signs) {
  std::vector<T> padded = numbers;
  padded.resize((numbers.size() + 7) / 8 * 8);
  Added added;
  added.plain.fill(3);
  added.squashed.fill(-2);
  added.sums = loops.Of<T>().add(padded.data(), static_cast<int64_t>(numbers.size()), kShift,
                                 signs.data(), added.plain.data(), added.squashed.data());
  return added;
}

std::array<uint64_t, 7> BitsOfSums(const NumberSums& sums) {
  return std::bit_cast<std::array<uint64_t, 7>>(sums);
}

// What the loops should give, each number by itself.
template <typename T>
Added ByHand(const std::vector<T>& numbers, const std::vector<uint64_t>& signs) {
  Added added;
  added.plain.fill(3);
  added.squashed.fill(-2);
  added.sums = {};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto x = static_cast<double>(numbers[i]);
    const double c = x / (1 + std::abs(x));
    const double sign = (signs[i / 64] >> (i % 64)) % 2 != 0 ? -1 : 1;
    added.plain[i % 64] += sign * x;
    added.squashed[i % 64] += sign * c;
    added.sums.plain += x;
    added.sums.squares += x * x;
    added.sums.shifted_squares += (x - kShift) * (x - kShift);
    added.sums.squashed += c;
    added.sums.squashed_magnitudes += std::abs(c);
    added.sums.squashed_squares += c * c;
    added.sums.squashed_cubes += c * c * c;
  }
  return added;
}

template <typename T>
class FingerprintLoopsTest : public ::testing::Test {};
using NumberTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FingerprintLoopsTest, NumberTypes);

TYPED_TEST(FingerprintLoopsTest, SumsAreTheSameBits) {
  std::mt19937_64 generator(1);
  std::vector<uint64_t> signs(16);
  for (uint64_t& word : signs) word = generator();
  for (int64_t count : {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 71, 72, 127, 128, 200, 1000, 1024}) {
    const auto numbers = FiniteNumbers<TypeParam>(count, static_cast<unsigned>(count));
    const Added by_hand = ByHand(numbers, signs);
    const Added base = Add(FingerprintLoopsFor(Instructions::kBase), numbers, signs);
    for (const Instructions wide : InstructionsHere()) {
      const Added added = Add(FingerprintLoopsFor(wide), numbers, signs);
      EXPECT_EQ(added.plain, base.plain) << count;
      EXPECT_EQ(added.squashed, base.squashed) << count;
      EXPECT_EQ(BitsOfSums(added.sums), BitsOfSums(base.sums)) << count;
    }
    // Signs that were wrong would show: the sums of 64 slots are of different elements.
    for (size_t slot = 0; slot < 64; ++slot) {
      const double large =
          *std::max_element(by_hand.plain.begin(), by_hand.plain.end(),
                            [](double a, double b) { return std::abs(a) < std::abs(b); });
      EXPECT_NEAR(base.plain[slot], by_hand.plain[slot], 1e-13 * std::abs(large)) << slot;
      EXPECT_NEAR(base.squashed[slot], by_hand.squashed[slot], 1e-13) << slot;
    }
    const auto n = static_cast<double>(count);
    EXPECT_DOUBLE_EQ(base.sums.squares, by_hand.sums.squares);
    EXPECT_DOUBLE_EQ(base.sums.shifted_squares, by_hand.sums.shifted_squares);
    EXPECT_NEAR(base.sums.squashed, by_hand.sums.squashed, 1e-15 * n);
    EXPECT_NEAR(base.sums.squashed_magnitudes, by_hand.sums.squashed_magnitudes, 1e-15 * n);
    EXPECT_NEAR(base.sums.squashed_squares, by_hand.sums.squashed_squares, 1e-15 * n);
    EXPECT_NEAR(base.sums.squashed_cubes, by_hand.sums.squashed_cubes, 1e-15 * n);
  }
}

// c(x) of a single number, which is alone in its slot.
TYPED_TEST(FingerprintLoopsTest, SquashedNumbersAreExact) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<uint64_t> signs(1, 0);
  std::vector<TypeParam> numbers = {0,
                                    1,
                                    -1,
                                    TypeParam{1e-7F},
                                    -TypeParam{1e20F},
                                    Limits::max(),
                                    Limits::lowest(),
                                    Limits::min(),
                                    Limits::denorm_min()};
  for (const TypeParam x : FiniteNumbers<TypeParam>(5000, 3)) numbers.push_back(x);
  for (const TypeParam x : numbers) {
    const std::vector<TypeParam> one = {x};
    const double number = static_cast<double>(x);
    const double expected = number / (1 + std::abs(number));
    for (const Instructions wide : InstructionsHere()) {
      std::array<double, 64> plain = {};
      std::array<double, 64> squashed = {};
      const std::array<TypeParam, 8> padded = {x};
      FingerprintLoopsFor(wide).Of<TypeParam>().add(padded.data(), 1, 0, signs.data(), plain.data(),
                                                    squashed.data());
      EXPECT_EQ(plain[0], number);
      EXPECT_NEAR(squashed[0], expected, 5e-16 * std::abs(expected)) << number;
    }
  }
}

TYPED_TEST(FingerprintLoopsTest, EndsAreTheLeastAndTheGreatest) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const Instructions wide : InstructionsHere()) {
    const NumberLoops<TypeParam> loops = FingerprintLoopsFor(wide).Of<TypeParam>();
    for (int64_t count = 1; count < 100; ++count) {
      auto numbers = FiniteNumbers<TypeParam>(count, static_cast<unsigned>(count));
      const NumberEnds ends = loops.find_ends(numbers.data(), count);
      EXPECT_EQ(ends.least, *std::min_element(numbers.begin(), numbers.end()));
      EXPECT_EQ(ends.greatest, *std::max_element(numbers.begin(), numbers.end()));
      EXPECT_EQ(ends.zeros, std::count(numbers.begin(), numbers.end(), TypeParam{0}));
      EXPECT_TRUE(ends.finite);
      for (const TypeParam odd : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                                  -Limits::quiet_NaN(), Limits::signaling_NaN()}) {
        for (const int64_t place : {int64_t{0}, count / 2, count - 1}) {
          auto changed = numbers;
          changed[static_cast<size_t>(place)] = odd;
          EXPECT_FALSE(loops.find_ends(changed.data(), count).finite) << count << " " << place;
        }
      }
    }
    const std::vector<TypeParam> extremes = {Limits::max(), Limits::lowest(), Limits::min()};
    const NumberEnds ends = loops.find_ends(extremes.data(), 3);
    EXPECT_TRUE(ends.finite);
    EXPECT_EQ(ends.least, Limits::lowest());
    EXPECT_EQ(ends.greatest, Limits::max());
  }
}

TEST(WordLoopsTest, WordsAddUpInAnyOrderAtAnyAddress) {
  std::mt19937 generator(1);
  std::vector<uint32_t> words(203);
  for (uint32_t& word : words) word = static_cast<uint32_t>(generator());
  std::vector<uint32_t> backwards(words.rbegin(), words.rend());
  std::vector<std::byte> shifted(words.size() * 4 + 1);
  std::memcpy(shifted.data() + 1, words.data(), words.size() * 4);
  const auto bytes = [](const std::vector<uint32_t>& of) {
    return reinterpret_cast<const std::byte*>(of.data());
  };
  for (int64_t count = 0; count <= 203; ++count) {
    MultisetSum one_by_one;
    for (int64_t i = 0; i < count; ++i) {
      one_by_one.Add(
          FingerprintLoopsFor(Instructions::kBase).sum_of_words(bytes(words) + i * 4, 1));
    }
    for (const Instructions wide : InstructionsHere()) {
      const auto sum_of_words = FingerprintLoopsFor(wide).sum_of_words;
      const MultisetSum sum = sum_of_words(bytes(words), count);
      EXPECT_EQ(sum.low, one_by_one.low) << count;
      EXPECT_EQ(sum.high, one_by_one.high) << count;
      EXPECT_EQ(sum_of_words(shifted.data() + 1, count).high, sum.high) << count;
      EXPECT_EQ(sum_of_words(bytes(backwards) + (203 - count) * 4, count).low, sum.low) << count;
    }
  }
}

}  // namespace
}  // namespace onnxcmp

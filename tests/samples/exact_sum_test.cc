// Sums without rounding: against sums that are known, and in other orders.
#include "samples/figures/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

ExactSum SumOf(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double number : numbers) sum.Add(number);
  return sum;
}

TEST(ExactSumTest, NothingIsLost) {
  EXPECT_EQ(SumOf({}).Total(), 0);
  EXPECT_EQ(SumOf({1e300, 1, -1e300}).Total(), 1);
  EXPECT_EQ(SumOf({-1e300, -3.5, 1e300}).Total(), -3.5);
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(SumOf({1e308, least, -1e308}).Total(), least);
  EXPECT_EQ(SumOf({least, least, least}).Total(), 3 * least);
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(SumOf({most, -most, -most, most, -2.25}).Total(), -2.25);
  EXPECT_EQ(SumOf({0.1, 0.2, -0.1, -0.2, 0.0, -0.0}).Total(), 0);
}

TEST(ExactSumTest, IntegersAreExact) {
  std::vector<double> numbers;
  double expected = 0;
  for (int i = -2000; i < 3000; ++i) {
    numbers.push_back(i * 1024.0);
    expected += i * 1024.0;
  }
  EXPECT_EQ(SumOf(numbers).Total(), expected);
}

TEST(ExactSumTest, OrderAndSplitDoNotMatter) {
  std::mt19937_64 random(5);
  std::vector<double> numbers;
  for (int i = 0; i < 1000; ++i) {
    const double size = std::ldexp(1.0, static_cast<int>(random() % 400) - 200);
    numbers.push_back(size * (static_cast<double>(random() % 2000) - 1000));
  }
  const ExactSum sum = SumOf(numbers);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    const size_t cut = random() % numbers.size();
    ExactSum parts = SumOf({numbers.begin(), numbers.begin() + static_cast<int>(cut)});
    parts.Add(SumOf({numbers.begin() + static_cast<int>(cut), numbers.end()}));
    EXPECT_EQ(parts.Digits(), sum.Digits());
    EXPECT_EQ(parts.Total(), sum.Total());
    EXPECT_EQ(ExactSum::OfDigits(parts.Digits()).Total(), sum.Total());
  }
}

}  // namespace
}  // namespace onnxcmp

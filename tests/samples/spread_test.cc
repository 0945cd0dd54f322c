#include "samples/figures/spread.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Figure i is of sample i.
Spread SpreadOf(const std::vector<double>& figures, int64_t first = 0) {
  Spread spread;
  for (size_t i = 0; i < figures.size(); ++i)
    spread.Add(first + static_cast<int64_t>(i), figures[i]);
  return spread;
}

// numpy.mean and numpy.std of [1, 2, 3, 6].
TEST(SpreadTest, MeanDeviationAndExtremes) {
  const Spread spread = SpreadOf({3, 1, 6, 2});
  EXPECT_EQ(spread.mean(), 3);
  EXPECT_NEAR(spread.deviation(), 1.8708286933869707, 1e-12);
  EXPECT_EQ(spread.least()->figure, 1);
  EXPECT_EQ(spread.least()->sample, 1);
  EXPECT_EQ(spread.most()->sample, 2);
  EXPECT_EQ(spread.median(), 2);
  EXPECT_EQ(spread.Below(3), 2);
}

TEST(SpreadTest, WhatIsNotFiniteIsCounted) {
  const Spread spread = SpreadOf({kInfinite, 20, std::nan(""), -kInfinite});
  EXPECT_EQ(spread.count(), 4);
  EXPECT_EQ(spread.nan(), 1);
  EXPECT_EQ(spread.mean(), 20);
  EXPECT_EQ(spread.deviation(), 0);
  EXPECT_EQ(spread.least()->sample, 3);
  EXPECT_EQ(spread.most()->sample, 0);
  EXPECT_EQ(SpreadOf({kInfinite}).mean(), kInfinite);
}

TEST(SpreadTest, PartsAreTheWhole) {
  const std::vector<double> figures = {30.1, 41.7, 12.25, 30.1, 55, 12.25, 7e-3};
  const Spread whole = SpreadOf(figures);
  for (size_t cut = 0; cut <= figures.size(); ++cut) {
    const auto at = figures.begin() + static_cast<int>(cut);
    // The later part first.
    Spread parts = SpreadOf({at, figures.end()}, static_cast<int64_t>(cut));
    parts.Add(SpreadOf({figures.begin(), at}));
    EXPECT_EQ(parts.mean(), whole.mean());
    EXPECT_EQ(parts.deviation(), whole.deviation());
    EXPECT_EQ(parts.bins(), whole.bins());
    EXPECT_EQ(parts.least()->sample, 6);
    EXPECT_EQ(parts.most()->sample, 4);
  }
  Spread twice = SpreadOf({12.25}, 9);
  twice.Add(SpreadOf({12.25}, 3));
  EXPECT_EQ(twice.least()->sample, 3);
}

}  // namespace
}  // namespace onnxcmp

#include "compare/quantization/explained_noise.h"

#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

QuantizedLayer Layer(double own, double cost, std::optional<double> rounding = std::nullopt) {
  QuantizedLayer layer;
  layer.own_sqnr = own;
  layer.cost = cost;
  layer.rounding_sqnr = rounding;
  return layer;
}

ExplainedNoise Explained(std::vector<QuantizedLayer> layers) {
  QuantizationReport report;
  report.layers = std::move(layers);
  const std::optional<ExplainedNoise> noise = ExplainNoise(report);
  EXPECT_TRUE(noise.has_value());
  return noise.value_or(ExplainedNoise());
}

TEST(ExplainedNoise, IsTheRootOfTheSumOfSquares) {
  const ExplainedNoise noise = Explained({Layer(40, 0.03), Layer(38, 0.04), Layer(36, 0)});
  EXPECT_NEAR(noise.all, 0.05, 1e-12);
  EXPECT_FALSE(noise.standing_out.has_value());
}

TEST(ExplainedNoise, WhatIsFarBelowTheOthersStandsOut) {
  const ExplainedNoise noise =
      Explained({Layer(40, 0.03), Layer(40, 0.04), Layer(31, 0.2), Layer(30, 0.1)});
  EXPECT_NEAR(noise.all, 0.05, 1e-12);
  ASSERT_TRUE(noise.standing_out.has_value());
  EXPECT_EQ(*noise.standing_out->own_sqnr, 31);
}

// Numbers of which few are great are rounded coarsely by a grid that fits them.
TEST(ExplainedNoise, NotWhereItsGridExplainsIt) {
  EXPECT_NEAR(Explained({Layer(40, 0.03), Layer(40, 0), Layer(25, 0.04, 26.5)}).all, 0.05, 1e-12);
  const ExplainedNoise noise = Explained({Layer(40, 0.03), Layer(40, 0), Layer(25, 0.04, 28.5)});
  EXPECT_NEAR(noise.all, 0.03, 1e-12);
  EXPECT_TRUE(noise.standing_out.has_value());
}

TEST(ExplainedNoise, WhatGoesIntoAnotherLayerCountsOnce) {
  QuantizedLayer rounded = Layer(40, 0.04);
  rounded.in_another = true;
  EXPECT_NEAR(Explained({Layer(40, 0.04), rounded, Layer(40, 0.03)}).all, 0.05, 1e-12);
}

}  // namespace
}  // namespace onnxcmp

#include "compare/quantization/explained_noise.h"

#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

QuantizedLayer Layer(double own, std::optional<double> rounding = std::nullopt) {
  QuantizedLayer layer;
  layer.own_sqnr = own;
  layer.rounding_sqnr = rounding;
  return layer;
}

SortedLayers Sorted(std::vector<QuantizedLayer> layers) {
  QuantizationReport report;
  report.layers = std::move(layers);
  const std::optional<SortedLayers> sorted = SortLayers(report);
  EXPECT_TRUE(sorted.has_value());
  return sorted.value_or(SortedLayers());
}

TEST(ExplainedNoise, WhatIsFarBelowTheOthersStandsOut) {
  const SortedLayers sorted = Sorted({Layer(40), Layer(33), Layer(31), Layer(50), Layer(5)});
  EXPECT_THAT(sorted.honest, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sorted.standing_out, ElementsAre(4));
}

// Numbers of which few are great are rounded coarsely by a grid that fits them.
TEST(ExplainedNoise, NotWhereItsGridExplainsIt) {
  const SortedLayers sorted =
      Sorted({Layer(40), Layer(40), Layer(40), Layer(25, 26.5), Layer(25, 28.5)});
  EXPECT_THAT(sorted.honest, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sorted.standing_out, ElementsAre(4));
}

TEST(ExplainedNoise, WhatGoesIntoAnotherLayerIsThere) {
  QuantizedLayer rounded = Layer(40);
  rounded.in_another = true;
  EXPECT_THAT(Sorted({Layer(40), rounded, Layer(40)}).honest, ElementsAre(0, 2));
}

TEST(ExplainedNoise, NothingIsSaidOfFewOrOf16Bits) {
  QuantizationReport report;
  EXPECT_FALSE(SortLayers(report).has_value());
  report.layers = {Layer(40), QuantizedLayer()};
  EXPECT_FALSE(SortLayers(report).has_value());
  report.layers.push_back(Layer(40));
  EXPECT_TRUE(SortLayers(report).has_value());
  report.layers[0].dtype = DType::kInt16;
  EXPECT_FALSE(SortLayers(report).has_value());
}

}  // namespace
}  // namespace onnxcmp

#include "record/differences/value_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "record/differences/tensor_distance.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::kInf;
using ::onnxcmp::testing::kNaN;
using ::onnxcmp::testing::RandomFloats;

TEST(ScaleOfTest, FollowsTheValuesUpAndDown) {
  for (const float size : {1e-6f, 1.0f, 1e6f}) {
    EXPECT_NEAR(ScaleOf(RandomFloats({64, 64}, 1, size)) / size, 1, 0.05);
  }
  EXPECT_EQ(ScaleOf(Tensor::Of<float>({3}, {0, 0, 0})), 0);
}

TEST(ScaleOfTest, WhatIsHugeOrNoNumberDoesNotCount) {
  std::vector<float> elements(100, 0.5f);
  elements[3] = 1e9f;
  elements[4] = kNaN;
  elements[5] = -kInf;
  elements[6] = -3e38f;
  const double scale = ScaleOf(Tensor::Of<float>({100}, elements));
  EXPECT_GE(scale, 0.5);
  EXPECT_LE(scale, 2.0);
}

// Of a few numbers and of a sample, which is read where floats lie and as what else they are; where
// the root mean square is less than four times the median, and where it is more.
TEST(ScaleOfTest, TheLesserOfTheRootMeanSquareAndFourMedians) {
  const Tensor x = RandomFloats({300, 300}, 1);
  std::vector<float> wide(x.AsSpan<float>().begin(), x.AsSpan<float>().end());
  for (size_t i = 0; i < wide.size(); i += 10) wide[i] *= 1000;
  for (const int64_t side : {30, 300}) {
    const Tensor small = Tensor::Of<float>({side, side}, {wide.data(), wide.data() + side * side});
    std::vector<double> magnitudes;
    for (const float v : small.AsSpan<float>()) magnitudes.push_back(std::abs(v));
    const auto middle = magnitudes.begin() + side * side / 2;
    std::nth_element(magnitudes.begin(), middle, magnitudes.end());
    EXPECT_NEAR(ScaleOf(small) / (4 * *middle), 1, 0.1);
    EXPECT_EQ(ScaleOf(testing::Convert(small, DType::kDouble)), ScaleOf(small));
  }
  EXPECT_NEAR(ScaleOf(x), 1, 0.05);
  EXPECT_EQ(ScaleOf(testing::Convert(x, DType::kDouble)), ScaleOf(x));
}

// `others` elements of size 1 behind fills.
Tensor Filled(float fill, int64_t size, int64_t others, bool added = false) {
  const Tensor x = RandomFloats({size}, 3);
  std::vector<float> elements(x.AsSpan<float>().begin(), x.AsSpan<float>().end());
  for (int64_t i = 0; i < size - others; ++i) {
    float& element = elements[static_cast<size_t>(i)];
    element = added ? element + fill : fill;
  }
  return Tensor::Of<float>({size}, elements);
}

TEST(ScaleOfVaryingTest, FillsDoNotCount) {
  for (const float fill : {-100.0f, -9999.0f, -1e4f, 1e9f, -1e20f}) {
    for (const bool added : {false, true}) {
      for (const int64_t size : {64, 20000}) {
        const Tensor x = Filled(fill, size, size / 10, added);
        const ValueScale scale = ScaleOfVarying(x, x);
        EXPECT_NEAR(scale.scale, 1, 0.7) << fill << " " << size;
        EXPECT_LT(scale.limit, std::abs(fill)) << fill;
      }
    }
  }
}

// One element in ten thousand is in no sample.
TEST(ScaleOfVaryingTest, AFewElementsAmongFillsAreFound) {
  const Tensor x = Filled(-1e9f, 100000, 10);
  EXPECT_LT(ScaleOfVarying(x, x).scale, 3);
}

TEST(ScaleOfVaryingTest, ValuesThatVaryAreNoFills) {
  // Half of the elements are a hundred times as large, and as various as they are large.
  const Tensor x = RandomFloats({64, 64}, 1);
  std::vector<float> elements(x.AsSpan<float>().begin(), x.AsSpan<float>().end());
  for (size_t i = 0; i < elements.size(); i += 2) elements[i] = 1000 * (2 + elements[i]);
  const Tensor wide = Tensor::Of<float>({64, 64}, elements);
  EXPECT_GT(ScaleOfVarying(wide, wide).scale, 1);
  EXPECT_EQ(ScaleOfVarying(wide, wide).scale, ScaleOf(wide));
  // Saturated probabilities beside small ones.
  const Tensor certain = Tensor::Of<float>({8}, {1, 1, 1, 1, 1e-3f, 2e-3f, 1e-3f, 3e-3f});
  EXPECT_EQ(ScaleOfVarying(certain, certain).scale, ScaleOf(certain));
  // A fill on one side alone is a difference.
  EXPECT_EQ(ScaleOfVarying(Filled(-1e9f, 64, 6), RandomFloats({64}, 3)).limit, kInf);
}

// Probabilities beside points of time, of which there are more.
TEST(ScaleOfSmallerTest, ATensorMayHoldTwoQuantities) {
  std::vector<float> elements;
  for (int i = 0; i < 64; ++i) {
    const float step = static_cast<float>(i);
    for (const float time : {1.7e9f, 2.1e9f, 2.9e9f}) elements.push_back(time + 1e6f * step);
    elements.push_back(0.1f + 0.01f * step);
  }
  const Tensor both = Tensor::Of<float>({64, 4}, elements);
  const std::optional<ValueScale> smaller = ScaleOfSmaller(both, both);
  ASSERT_TRUE(smaller.has_value());
  EXPECT_LT(smaller->scale, 1);
  EXPECT_GT(smaller->limit, 1);
  EXPECT_LT(smaller->limit, 1.7e9);
  EXPECT_LT(Measure(both).scale, 1);
  EXPECT_GT(ScaleOf(both), 1e9);
  // Both sides have to hold them, and small numbers may be what rounding leaves of larger ones.
  EXPECT_FALSE(ScaleOfSmaller(both, RandomFloats({64, 4}, 1)).has_value());
  const Tensor certain = Tensor::Of<float>({8}, {1, 1, 1, 1, 1e-9f, 2e-9f, 1e-9f, 3e-9f});
  EXPECT_FALSE(ScaleOfSmaller(certain).has_value());
  const Tensor residue = Tensor::Of<float>({8}, {1e9f, 2e9f, 3e9f, 2e9f, 512, 256, 128, 256});
  EXPECT_FALSE(ScaleOfSmaller(residue).has_value());
}

// Where 0 lies is the zero point's choice.
TEST(DeviationOfTest, OfTheMean) {
  EXPECT_EQ(DeviationOf(Tensor::Of<uint8_t>({4}, {126, 130, 126, 130})), 2);
  EXPECT_EQ(DeviationOf(Tensor::Of<int8_t>({4}, {-2, 2, -2, 2})), 2);
}

}  // namespace
}  // namespace onnxcmp

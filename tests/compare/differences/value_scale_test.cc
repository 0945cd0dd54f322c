#include "compare/differences/value_scale.h"

#include <vector>

#include <gtest/gtest.h>

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

// Where 0 lies is the zero point's choice.
TEST(DeviationOfTest, OfTheMean) {
  EXPECT_EQ(DeviationOf(Tensor::Of<uint8_t>({4}, {126, 130, 126, 130})), 2);
  EXPECT_EQ(DeviationOf(Tensor::Of<int8_t>({4}, {-2, 2, -2, 2})), 2);
}

}  // namespace
}  // namespace onnxcmp

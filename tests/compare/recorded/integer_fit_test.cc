#include "compare/recorded/integer_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;

constexpr size_t kColumns = 16;

class IntegerFitTest : public ::testing::Test {
 protected:
  IntegerFitTest() : floats_(RandomFloats({8, 16}, 1)) {
    const auto elements = floats_.AsSpan<float>();
    made_.assign(elements.begin(), elements.end());
  }

  // Integers of made_, cut off.
  Tensor Bytes(float scale, float zero_point, float lowest = -128, float highest = 127) const {
    std::vector<int8_t> integers;
    for (const float x : made_) {
      integers.push_back(
          static_cast<int8_t>(std::clamp(std::nearbyint(x / scale) + zero_point, lowest, highest)));
    }
    return Tensor::Of<int8_t>({8, 16}, integers);
  }
  bool Stand(const Tensor& integers, bool sums = false) const {
    return RestOfIntegers(integers, floats_, sums).has_value();
  }

  Tensor floats_;
  std::vector<float> made_;
};

TEST_F(IntegerFitTest, AnyScaleAndZeroPoint) {
  EXPECT_TRUE(Stand(Bytes(0.025F, 0)));
  EXPECT_TRUE(Stand(Bytes(0.03F, -40)));
  for (float& x : made_) x *= 1.03F;
  EXPECT_TRUE(Stand(Bytes(0.025F, 0)));
}

TEST_F(IntegerFitTest, ARangeDoesARelu) {
  EXPECT_TRUE(Stand(Bytes(0.01F, -128)));
  // Both ends of it cut off too much for that.
  EXPECT_FALSE(Stand(Bytes(0.025F, 0, -20, 20)));
}

TEST_F(IntegerFitTest, WhatIsWrongIsNotTheSame) {
  const std::vector<float> right = made_;
  std::swap_ranges(made_.begin(), made_.begin() + kColumns, made_.end() - kColumns);
  EXPECT_FALSE(Stand(Bytes(0.025F, 0))) << "rows";
  made_ = right;
  for (float& x : made_) x = -x;
  EXPECT_FALSE(Stand(Bytes(0.025F, 0))) << "negated";
  made_ = right;
  std::fill(made_.begin(), made_.begin() + 2 * kColumns, 0.0F);
  EXPECT_FALSE(Stand(Bytes(0.025F, 0))) << "zeroed";
  made_ = right;
  std::rotate(made_.begin(), made_.begin() + 1, made_.end());
  EXPECT_FALSE(Stand(Bytes(0.025F, 0))) << "rolled";
}

TEST_F(IntegerFitTest, SumsHaveAFactorForEachChannel) {
  const auto sums = [&](bool wrong) {
    std::vector<int32_t> integers;
    for (size_t i = 0; i < made_.size(); ++i) {
      const float of_channel = 1000 * (1 + 0.2F * static_cast<float>(i % kColumns));
      const float offset = 300 * static_cast<float>(i % kColumns);
      const float x = wrong && i % kColumns == 3 ? made_[i + 1] : made_[i];
      integers.push_back(static_cast<int32_t>(x * of_channel + offset));
    }
    return Tensor::Of<int32_t>({std::ssize(integers) / 16, 16}, integers);
  };
  // Eight rows do not tell sixteen factors.
  EXPECT_FALSE(Stand(sums(false), true));
  floats_ = RandomFloats({32, 16}, 1);
  const auto elements = floats_.AsSpan<float>();
  made_.assign(elements.begin(), elements.end());
  EXPECT_TRUE(Stand(sums(false), true));
  EXPECT_FALSE(Stand(sums(true), true));
}

TEST_F(IntegerFitTest, SumsMayHaveAnOffsetForEachChannel) {
  std::vector<int32_t> integers;
  for (size_t i = 0; i < made_.size(); ++i) {
    integers.push_back(
        static_cast<int32_t>(made_[i] * 5000 + 4000 * static_cast<float>(i % kColumns)));
  }
  EXPECT_TRUE(Stand(Tensor::Of<int32_t>({8, 16}, integers), true));
  std::reverse(integers.begin(), integers.end());
  EXPECT_FALSE(Stand(Tensor::Of<int32_t>({8, 16}, integers), true));
}

}  // namespace
}  // namespace onnxcmp

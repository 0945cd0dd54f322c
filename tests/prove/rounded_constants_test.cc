#include "prove/rounded_constants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "evaluator/tensor/dtype.h"

namespace onnxcmp {
namespace {

constexpr DType kFloat16Type = DType::kFloat16;

TEST(RoundedConstants, AFloatIsTheNearestOrAnother) {
  EXPECT_EQ(RoundedTo(kFloat16Type, 0.5, 0.5, 0), Rounding::kSame);
  const double third = 0x1.554p-2;  // the nearest to 1/3
  EXPECT_EQ(RoundedTo(kFloat16Type, 1.0 / 3, third, 0), Rounding::kNearest);
  EXPECT_EQ(RoundedTo(kFloat16Type, 1.0 / 3, third + 0x1p-12, 0), Rounding::kOther);
  EXPECT_EQ(RoundedTo(kFloat16Type, 1.0 / 3, third - 0x1p-12, 0), Rounding::kOther);
  EXPECT_EQ(RoundedTo(DType::kBfloat16, 1.0 / 3, 0x1.56p-2, 0), Rounding::kNearest);
  EXPECT_EQ(RoundedTo(kFloat16Type, std::nan(""), 0, 0), Rounding::kOther);
}

TEST(RoundedConstants, TheEndsOfFloat16AreTold) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(RoundedTo(kFloat16Type, 1e-9, 0, 0), Rounding::kZero);
  EXPECT_EQ(RoundedTo(kFloat16Type, 1e-9, 0x1p-24, 0),
            Rounding::kZero);  // as converters keep it above 0
  EXPECT_EQ(RoundedTo(kFloat16Type, 1e-9, -0x1p-24, 0), Rounding::kOther);
  EXPECT_EQ(RoundedTo(kFloat16Type, 0, 0x1p-24, 0), Rounding::kOther);
  EXPECT_EQ(RoundedTo(kFloat16Type, -3e38, -infinity, 0), Rounding::kOutOfRange);
  EXPECT_EQ(RoundedTo(kFloat16Type, -3e38, -65504, 0), Rounding::kOutOfRange);
  EXPECT_EQ(RoundedTo(kFloat16Type, -3e38, -10000, 0), Rounding::kOutOfRange);
  EXPECT_EQ(RoundedTo(kFloat16Type, -3e38, 10000, 0), Rounding::kOther);
  EXPECT_EQ(RoundedTo(kFloat16Type, 20000, 10000, 0), Rounding::kOther);
}

TEST(RoundedConstants, ACodeIsTheNearestOrAnother) {
  const auto rounding = [](double number, double code, double scale = 0.1) {
    return QuantizedTo(DType::kInt8, number, {code, scale, 2}, 1e-6);
  };
  EXPECT_EQ(rounding(0.32, 5), Rounding::kNearest);
  EXPECT_EQ(rounding(0.32, 6), Rounding::kOther);
  EXPECT_EQ(rounding(0.32, 4), Rounding::kOther);
  EXPECT_EQ(rounding(0.35, 5), Rounding::kNearest);  // either of two that are as near
  EXPECT_EQ(rounding(0.35, 6), Rounding::kNearest);
  EXPECT_EQ(rounding(0.32, -1, -0.1), Rounding::kNearest);
  // The codes end at 127, which stands for 12.5; more than a step beyond is another number.
  EXPECT_EQ(rounding(12.58, 127), Rounding::kOutOfRange);
  EXPECT_EQ(rounding(12.7, 127), Rounding::kOther);
  EXPECT_EQ(rounding(12.58, 126), Rounding::kOther);
  EXPECT_EQ(rounding(0, 2, 0), Rounding::kSame);
  EXPECT_EQ(rounding(0.1, 2, 0), Rounding::kOther);
}

TEST(RoundedConstants, Layouts) {
  EXPECT_EQ(LayoutsOf({2, 3}, {2, 3}), (std::vector<Places>{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(LayoutsOf({2, 3}, {3, 2}), (std::vector<Places>{{0, 3, 1, 4, 2, 5}}));
  EXPECT_EQ(LayoutsOf({2, 2}, {2, 2}).size(), 2U);
  EXPECT_EQ(LayoutsOf({1, 2}, {1, 4}), (std::vector<Places>{{0, 1, kNoPlace, kNoPlace}}));
  EXPECT_TRUE(LayoutsOf({2, 3}, {6}).empty());
  // Channels in blocks of eight.
  const std::vector<Places> blocks = LayoutsOf({8, 2, 1, 1}, {8, 2, 1, 1});
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[1][1], 2U);
}

TEST(RoundedConstants, RangesOfCodes) {
  const CodeRange range = CodeRangeOf(DType::kUint8, 0.5, 10);
  EXPECT_EQ(range.low, -5);
  EXPECT_EQ(range.high, 122.5);
  EXPECT_TRUE(std::isnan(CodeRangeOf(DType::kFloat8E4M3FN, 1, 0).low));
}

}  // namespace
}  // namespace onnxcmp

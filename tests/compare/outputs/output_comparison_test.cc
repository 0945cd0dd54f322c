#include "compare/outputs/output_comparison.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NamedOutput Output(const std::string& name, float value) {
  return {name, Tensor::Of<float>({1}, {value})};
}

TEST(CompareOutputsTest, ByNameThenByPosition) {
  const OutputComparison comparison =
      CompareOutputs({Output("a", 1), Output("x", 2), Output("b", 3)},
                     {Output("b", 3), Output("a", 1), Output("y", 2)}, {});
  EXPECT_TRUE(comparison.agree());
  ASSERT_EQ(comparison.pairs.size(), 3u);
  EXPECT_EQ(comparison.pairs[0].right, "a");
  EXPECT_EQ(comparison.pairs[1].right, "y");
  EXPECT_EQ(comparison.pairs[2].right, "b");
  EXPECT_THAT(DescribeOutputs(comparison),
              ElementsAre("a float[1]: equal", "x | y float[1]: equal", "b float[1]: equal",
                          "outputs agree: all elements are equal"));
}

TEST(CompareOutputsTest, NumbersThatDiffer) {
  const OutputComparison comparison =
      CompareOutputs({Output("a", 1), Output("b", 2)}, {Output("a", 1.00005f), Output("b", 3)}, {});
  EXPECT_FALSE(comparison.agree());
  EXPECT_THAT(
      DescribeOutputs(comparison),
      ElementsAre("a float[1]: max abs 5.0e-05 at [0] (1 | 1.00005), max rel 5.0e-05 at [0]",
                  "b float[1]: 1 of 1 elements beyond 0.0002 + 0.0001*max(|a|,|b|)",
                  "  max abs 1 at [0] (2 | 3), max rel 0.33 at [0]", "outputs differ: 1 of 2"));
}

// A model that was converted to 16 bits as a whole.
TEST(CompareOutputsTest, FloatsOfOtherTypesByValue) {
  const Tensor x = testing::RandomFloats({4, 32}, 1);
  const Tensor half = testing::Convert(x, DType::kFloat16);
  std::vector<float> scaled(x.AsSpan<float>().begin(), x.AsSpan<float>().end());
  for (float& v : scaled) v *= 1.1f;
  const Tensor wrong = testing::Convert(Tensor::Of<float>({4, 32}, scaled), DType::kFloat16);
  const auto pair = [](const Tensor& left, const Tensor& right, bool close) {
    ToleranceOptions options;
    options.output_types_close = close;
    return CompareOutputs({{"a", left}}, {{"a", right}}, options).pairs.at(0);
  };
  EXPECT_TRUE(pair(x, half, true).agrees());
  EXPECT_FALSE(pair(x, half, false).agrees());
  EXPECT_TRUE(pair(x, half, false).agree_by_value);
  EXPECT_TRUE(pair(x, half, true).agree_by_value);
  EXPECT_FALSE(pair(x, x, true).agree_by_value);
  EXPECT_TRUE(pair(x, testing::Convert(x, DType::kDouble), true).agrees());
  EXPECT_FALSE(pair(x, wrong, true).agrees());
  EXPECT_FALSE(pair(x, wrong, false).agree_by_value);
  // Integers are no floats of another type, and the shape counts.
  const Tensor whole = Tensor::Of<float>({2}, {1, 2});
  EXPECT_FALSE(pair(whole, Tensor::Of<int32_t>({2}, {1, 2}), true).agrees());
  EXPECT_FALSE(pair(x, half.Reshaped({32, 4}), true).agrees());
}

TEST(CompareOutputsTest, AgreeingNansAreTold) {
  const float nan = std::nanf("");
  EXPECT_THAT(DescribeOutputs(CompareOutputs({Output("a", nan)}, {Output("a", nan)}, {})),
              ElementsAre("a float[1]: equal; 1 of 1 elements are NaN",
                          "outputs agree: all elements are equal"));
}

TEST(CompareOutputsTest, OutputsOfOneSide) {
  const OutputComparison comparison =
      CompareOutputs({Output("a", 1), Output("b", 2)}, {Output("b", 2)}, {});
  EXPECT_FALSE(comparison.agree());
  EXPECT_THAT(comparison.only_left, ElementsAre("a"));
  EXPECT_THAT(DescribeOutputs(comparison),
              ElementsAre("b float[1]: equal", "outputs differ: only left: a"));
  // Nothing was compared.
  EXPECT_FALSE(CompareOutputs({}, {}, {}).agree());
  EXPECT_THAT(CompareOutputs({}, {}, {}).pairs, IsEmpty());
}

}  // namespace
}  // namespace onnxcmp

#include "record/differences/value_difference.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

ValueDifference FloatsDiffer(const std::vector<float>& left, const std::vector<float>& right,
                             const ToleranceOptions& options = {}) {
  const int64_t n = static_cast<int64_t>(left.size());
  return DifferenceOf(Tensor::Of<float>({n}, left), Tensor::Of<float>({n}, right), options);
}

TEST(DifferenceOfTest, EqualTensors) {
  const ValueDifference same = FloatsDiffer({1, kNotANumber, kInfinite, -kInfinite, 0.0f},
                                            {1, kNotANumber, kInfinite, -kInfinite, -0.0f});
  EXPECT_TRUE(same.agree());
  EXPECT_EQ(same.elements, 5);
  EXPECT_EQ(same.beyond, 0);
  EXPECT_EQ(same.max_absolute, 0);
  EXPECT_EQ(same.max_absolute_at, "");
  EXPECT_TRUE(FloatsDiffer({}, {}).agree());
}

TEST(DifferenceOfTest, SaysHowMuchAndWhere) {
  const Tensor left = Tensor::Of<float>({2, 2}, {1, 2, 100, 0});
  const Tensor right = Tensor::Of<float>({2, 2}, {1.5f, 2, 99, 0});
  const ValueDifference difference = DifferenceOf(left, right, {});
  EXPECT_FALSE(difference.agree());
  EXPECT_EQ(difference.beyond, 2);
  EXPECT_EQ(difference.max_absolute, 1);
  EXPECT_EQ(difference.max_absolute_at, "[1,0]");
  EXPECT_EQ(difference.max_absolute_pair, "100 | 99");
  EXPECT_DOUBLE_EQ(difference.max_relative, 0.5 / 1.5);
  EXPECT_EQ(difference.max_relative_at, "[0,0]");
}

TEST(DifferenceOfTest, TheToleranceGrowsWithTheGreaterOfTheTwo) {
  // |a - b| <= 0.5 + 0.25 * max(|a|, |b|): at 4 against 2.5, 1.5 = 0.5 + 0.25 * 4.
  ToleranceOptions options;
  options.rtol = 0.25;
  options.atol = 0.5;
  EXPECT_TRUE(FloatsDiffer({4}, {2.5f}, options).agree());
  EXPECT_TRUE(FloatsDiffer({2.5f}, {4}, options).agree());
  EXPECT_FALSE(FloatsDiffer({4}, {2.4375f}, options).agree());
  // Defaults: 1e-4 * max + 1e-4 of the scale, of one element five times 2e-5 on the whole.
  EXPECT_TRUE(FloatsDiffer({1}, {1.00009f}).agree());
  EXPECT_FALSE(FloatsDiffer({1}, {1.0002f}).agree());
  options.rtol.reset();
  options.atol = 1;
  EXPECT_TRUE(FloatsDiffer({0}, {1}, options).agree());
}

TEST(DifferenceOfTest, NanAndInfinityAgreeWithThemselvesOnly) {
  ToleranceOptions all;
  all.rtol = 1e30;
  all.atol = 1e30;
  for (const auto& [a, b] : std::vector<std::pair<float, float>>{{kNotANumber, 1},
                                                                 {1, kNotANumber},
                                                                 {kInfinite, 1},
                                                                 {kInfinite, -kInfinite},
                                                                 {kInfinite, kNotANumber}}) {
    const ValueDifference difference = FloatsDiffer({a}, {b}, all);
    EXPECT_FALSE(difference.agree()) << a << " " << b;
    EXPECT_TRUE(std::isinf(difference.max_absolute));
    EXPECT_EQ(difference.max_absolute_at, "[0]");
  }
}

TEST(DifferenceOfTest, IntegersAreExact) {
  const Tensor left = Tensor::Of<int64_t>({2}, {9007199254740993, -5});
  const Tensor right = Tensor::Of<int64_t>({2}, {9007199254740992, -5});
  ValueDifference difference = DifferenceOf(left, right, {});
  EXPECT_FALSE(difference.agree());
  EXPECT_EQ(difference.max_absolute, 1);
  ToleranceOptions one;
  one.atol = 1;
  EXPECT_FALSE(DifferenceOf(left, right, one).agree());
  EXPECT_TRUE(DifferenceWithin(Tolerance{0, 1}, left, right).agree());
  difference = DifferenceOf(Tensor::Scalar(std::numeric_limits<int64_t>::min()),
                            Tensor::Scalar(std::numeric_limits<int64_t>::max()), {});
  EXPECT_EQ(difference.max_absolute, 0x1p64);
  difference =
      DifferenceOf(Tensor::Scalar<uint64_t>(~uint64_t{0}), Tensor::Scalar<uint64_t>(0), {});
  EXPECT_EQ(difference.max_absolute, 0x1p64);
}

TEST(DifferenceOfTest, BoolsAndStringsAreAlwaysExact) {
  ToleranceOptions all;
  all.atol = 100;
  EXPECT_FALSE(DifferenceOf(Tensor::Scalar(true), Tensor::Scalar(false), all).agree());
  const ValueDifference strings = DifferenceOf(Tensor::Of<std::string>({2}, {"a", "b"}),
                                               Tensor::Of<std::string>({2}, {"a", "c\n"}), all);
  EXPECT_FALSE(strings.agree());
  EXPECT_EQ(strings.beyond, 1);
  EXPECT_EQ(strings.max_absolute_at, "[1]");
  EXPECT_EQ(strings.max_absolute_pair, "\"b\" | \"c\\n\"");
}

TEST(DifferenceOfTest, ComplexNumbersByTheirDistance) {
  const ValueDifference difference = DifferenceOf(Tensor::Scalar(std::complex<float>(3, 4)),
                                                  Tensor::Scalar(std::complex<float>(0, 0)), {});
  EXPECT_FALSE(difference.agree());
  EXPECT_EQ(difference.max_absolute, 5);
  EXPECT_EQ(difference.max_relative, 1);
}

TEST(DifferenceOfTest, TypesAndShapesMustAgree) {
  ValueDifference difference =
      DifferenceOf(Tensor::Of<float>({2, 1}, {1, 2}), Tensor::Of<float>({2}, {1, 2}), {});
  EXPECT_FALSE(difference.agree());
  EXPECT_EQ(difference.reason, "shape [2,1] | [2]");
  // Other types are told, and the numbers all the same.
  difference = DifferenceOf(Tensor::Of<float>({1}, {1}),
                            testing::Convert(Tensor::Of<float>({1}, {1.5f}), DType::kFloat16), {});
  EXPECT_FALSE(difference.agree());
  EXPECT_EQ(difference.reason, "element type float | float16");
  EXPECT_EQ(difference.max_absolute, 0.5);
  difference = DifferenceOf(Tensor::Of<float>({1}, {1}), Sequence{}, {});
  EXPECT_FALSE(difference.agree());
  EXPECT_EQ(difference.reason.substr(0, 5), "type ");
}

TEST(DifferenceOfTest, NarrowFloatsHaveWiderTolerances) {
  const Tensor left = Tensor::Of<float>({1}, {1});
  const Tensor right = Tensor::Of<float>({1}, {1.0078125f});  // the next bfloat16
  const auto agree = [&](DType dtype) {
    return DifferenceOf(testing::Convert(left, dtype), testing::Convert(right, dtype), {}).agree();
  };
  EXPECT_FALSE(agree(DType::kFloat));
  EXPECT_TRUE(agree(DType::kFloat16));
  EXPECT_TRUE(agree(DType::kBfloat16));
}

TEST(DifferenceOfTest, GoesIntoSequencesMapsAndOptionals) {
  const Tensor one = Tensor::Of<float>({2}, {1, 1});
  const Tensor two = Tensor::Of<float>({2}, {1, 2});
  const Value left = Sequence{DType::kFloat, {one, Sequence{DType::kFloat, {one}}}};
  const Value right = Sequence{DType::kFloat, {one, Sequence{DType::kFloat, {two}}}};
  EXPECT_TRUE(DifferenceOf(left, left, {}).agree());
  const ValueDifference nested = DifferenceOf(left, right, {});
  EXPECT_FALSE(nested.agree());
  EXPECT_EQ(nested.elements, 4);
  EXPECT_EQ(nested.max_absolute_at, "[1] [0] [1]");
  EXPECT_EQ(DifferenceOf(Sequence{DType::kFloat, {one}}, Sequence{}, {}).reason, "length 1 | 0");

  const auto map_of = [](const std::string& key, const Tensor& value) {
    return Value(Map{Tensor::Of<std::string>({1}, {key}), std::make_shared<const Value>(value)});
  };
  EXPECT_TRUE(DifferenceOf(map_of("a", one), map_of("a", one), {}).agree());
  EXPECT_EQ(DifferenceOf(map_of("a", one), map_of("b", one), {}).max_absolute_at, "keys [0]");
  EXPECT_EQ(DifferenceOf(map_of("a", one), map_of("a", two), {}).max_absolute_at, "values [1]");

  const Value some = Optional{std::make_shared<const Value>(one)};
  EXPECT_TRUE(DifferenceOf(some, some, {}).agree());
  EXPECT_TRUE(DifferenceOf(Optional{}, Optional{}, {}).agree());
  EXPECT_EQ(DifferenceOf(some, Optional{}, {}).reason, "value float[2] | none");
}

TEST(DifferenceOfTest, ReadsViews) {
  const Tensor matrix = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor transposed = Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 7});
  const ValueDifference difference =
      DifferenceOf(matrix.Strided({3, 2}, {1, 3}, 0), transposed, {});
  EXPECT_EQ(difference.beyond, 1);
  EXPECT_EQ(difference.max_absolute_at, "[2,1]");
}

}  // namespace
}  // namespace onnxcmp

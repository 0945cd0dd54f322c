#include "record/differences/tensor_difference.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/base/thread_pool.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TensorDifference Compare(const Value& left, const Value& right,
                         Tolerance tolerance = {1e-4, 1e-5}) {
  return TensorDifferenceOf(left, right, {tolerance});
}

TensorDifference Floats(const std::vector<float>& left, const std::vector<float>& right) {
  const int64_t n = static_cast<int64_t>(left.size());
  return Compare(Tensor::Of<float>({n}, left), Tensor::Of<float>({n}, right));
}

Tensor As(DType dtype, const std::vector<float>& elements) {
  return testing::Convert(Tensor::Of<float>({static_cast<int64_t>(elements.size())}, elements),
                          dtype);
}

void ExpectEqual(const TensorDifference& a, const TensorDifference& b) {
  EXPECT_EQ(a.mean_absolute, b.mean_absolute);
  EXPECT_EQ(a.mean_relative, b.mean_relative);
  EXPECT_EQ(a.values.rms, b.values.rms);
  EXPECT_EQ(a.values.cosine, b.values.cosine);
  EXPECT_EQ(a.sqnr, b.sqnr);
  EXPECT_EQ(a.max_ulp, b.max_ulp);
  EXPECT_EQ(a.values.max_relative_at, b.values.max_relative_at);
  EXPECT_EQ(a.values.max_absolute_at, b.values.max_absolute_at);
}

// Expected values by NumPy: errors in double, ULP as differences of the floats' bits.
TEST(TensorDifferenceTest, Numbers) {
  const TensorDifference d =
      Floats({1, -2, 0.5f, 0, 3, 100, 1e-3f, -7}, {1, -2.002f, 0.55f, 0, 3.5f, 100, 1.001e-3f, 7});
  EXPECT_FALSE(d.same_bits);
  EXPECT_EQ(d.values.elements, 8);
  EXPECT_EQ(d.values.beyond, 4);
  EXPECT_NEAR(d.mean_absolute, 1.8190001381735783, 1e-15);
  EXPECT_NEAR(d.mean_relative, 0.2794705387071067, 1e-15);
  EXPECT_NEAR(d.values.rms, 4.952934786588237, 1e-14);
  EXPECT_NEAR(d.values.cosine, 0.9902506665736326, 1e-15);
  EXPECT_NEAR(d.sqnr, 17.09923055336812, 1e-13);
  EXPECT_EQ(d.max_ulp, 2176843776);
  EXPECT_EQ(d.range, 107);
  EXPECT_EQ(d.beyond_tenth, 2);
  EXPECT_EQ(d.beyond_hundredth, 3);
  EXPECT_EQ(d.beyond_thousandth, 3);
  EXPECT_EQ(d.values.max_relative, 2);
  ASSERT_EQ(d.worst.size(), 5u);
  EXPECT_EQ(d.worst[0].index, "[7]");
  EXPECT_EQ(d.worst[0].left, "-7");
  EXPECT_EQ(d.worst[0].right, "7");
  EXPECT_EQ(d.worst[0].absolute, 14);
  EXPECT_EQ(d.worst[0].relative, 2);
  EXPECT_EQ(d.worst[1].index, "[4]");
  EXPECT_EQ(d.worst[4].index, "[6]");
  EXPECT_EQ(d.worst[4].right, "0.001001");
}

// Likewise; several pieces of the work and an end that fills none.
TEST(TensorDifferenceTest, ManyNumbersOnAnyNumberOfThreads) {
  constexpr int64_t kCount = 200003;
  std::vector<float> a(kCount);
  std::vector<float> b(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    const int64_t step = i * 7919 % 1000 - 500;
    a[static_cast<size_t>(i)] = static_cast<float>(step) / 1000.0f;
    b[static_cast<size_t>(i)] = static_cast<float>(step + (i % 97 == 0 ? 1 : 0)) / 1000.0f;
  }
  const Tensor left = Tensor::Of<float>({kCount}, a);
  const Tensor right = Tensor::Of<float>({kCount}, b);
  const TensorDifference d = Compare(left, right);
  EXPECT_NEAR(d.mean_absolute, 1.030984538450574e-05, 1e-17);
  EXPECT_NEAR(d.mean_relative, 0.00013785957125246753, 1e-15);
  EXPECT_NEAR(d.values.rms, 0.00010153740895794913, 1e-16);
  EXPECT_NEAR(d.values.cosine, 0.9999999381421478, 1e-14);
  EXPECT_NEAR(d.sqnr, 69.07575020346044, 1e-11);
  EXPECT_NEAR(d.range, 0.9990000128746033, 1e-15);
  EXPECT_EQ(d.max_ulp, 981668463);
  EXPECT_EQ(d.values.beyond, 2062);
  EXPECT_EQ(d.beyond_tenth, 40);
  EXPECT_EQ(d.beyond_hundredth, 418);
  EXPECT_EQ(d.beyond_thousandth, 2062);
  EXPECT_EQ(d.values.max_relative_at, "[47821]");
  ASSERT_EQ(d.worst.size(), 5u);
  EXPECT_EQ(d.worst[0].index, "[679]");
  EXPECT_EQ(d.worst[1].index, "[776]");
  EXPECT_EQ(d.worst[4].index, "[2134]");

  const ThreadPool pool(3);
  ExpectEqual(TensorDifferenceOf(left, right, {Tolerance{1e-4, 1e-5}}, &pool), d);
}

TEST(TensorDifferenceTest, EqualTensors) {
  TensorDifference d = Floats({1, kNan, kInf, 0}, {1, kNan, kInf, 0});
  EXPECT_TRUE(d.same_bits);
  EXPECT_TRUE(d.values.agree());
  EXPECT_EQ(d.values.cosine, 1);
  EXPECT_EQ(d.sqnr, std::numeric_limits<double>::infinity());
  EXPECT_EQ(d.max_ulp, 0);
  EXPECT_TRUE(d.worst.empty());
  d = Floats({0}, {-0.0f});
  EXPECT_FALSE(d.same_bits);
  EXPECT_TRUE(d.values.agree());
  EXPECT_EQ(d.max_ulp, 0);
  EXPECT_EQ(d.values.cosine, 1);
  d = Floats({}, {});
  EXPECT_TRUE(d.same_bits);
  EXPECT_TRUE(d.values.agree());
  EXPECT_EQ(d.values.elements, 0);
}

TEST(TensorDifferenceTest, CountsWhatIsNotFiniteAndMeasuresTheRest) {
  const TensorDifference d =
      Floats({kNan, kNan, 1, kInf, -kInf, kInf, 2, 4}, {kNan, 1, kInf, kInf, kInf, kNan, 2, 3});
  EXPECT_EQ(d.nan_left, 2);
  EXPECT_EQ(d.nan_right, 2);
  EXPECT_EQ(d.infinite_left, 3);
  EXPECT_EQ(d.infinite_right, 3);
  EXPECT_EQ(d.non_finite_disagree, 4);
  EXPECT_EQ(d.values.nans, 1);
  EXPECT_EQ(d.values.beyond, 5);
  EXPECT_EQ(d.beyond_tenth, 5);
  EXPECT_EQ(d.values.max_absolute, std::numeric_limits<double>::infinity());
  EXPECT_EQ(d.values.max_absolute_at, "[1]");
  EXPECT_EQ(d.mean_absolute, 0.5);
  EXPECT_EQ(d.values.rms, std::sqrt(0.5));
  EXPECT_NEAR(d.values.cosine, 16 / std::sqrt(20.0 * 13.0), 1e-15);
  EXPECT_EQ(d.range, 3);  // 1 is finite on the left
  EXPECT_EQ(d.max_ulp, 1 << 22);
}

TEST(TensorDifferenceTest, UlpOfTheCoarserType) {
  const float denormal = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(Floats({1}, {std::nextafter(1.0f, 0.0f)}).max_ulp, 1);
  EXPECT_EQ(Floats({denormal}, {-denormal}).max_ulp, 2);
  EXPECT_EQ(Floats({0}, {std::numeric_limits<float>::min()}).max_ulp, 1 << 23);
  // From the greatest denormal to the least normal number.
  EXPECT_EQ(
      Floats({std::numeric_limits<float>::min() - denormal}, {std::numeric_limits<float>::min()})
          .max_ulp,
      1);
  const auto doubles = [](double a, double b) {
    return Compare(Tensor::Scalar(a), Tensor::Scalar(b)).max_ulp;
  };
  EXPECT_EQ(doubles(1, 1 + 0x1p-52), 1);
  EXPECT_EQ(doubles(0, std::numeric_limits<double>::denorm_min()), 1);
  // All finite doubles from one end to the other: 2 (2046 * 2^52 + 2^52 - 1), rounded.
  EXPECT_EQ(doubles(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()),
            0);  // their difference is no double
  EXPECT_EQ(doubles(-0x1p1022, 0x1p1022), 2.0 * 2045 * 0x1p52);
  // 1 + 2^-12 is a quarter of a float16's step beyond 1.
  EXPECT_EQ(Compare(As(DType::kFloat16, {1}), As(DType::kFloat, {1 + 0x1p-12f})).max_ulp, 0.25);
  EXPECT_EQ(Compare(As(DType::kFloat16, {1}), As(DType::kBfloat16, {1.0078125f})).max_ulp, 1);
  EXPECT_EQ(Compare(As(DType::kFloat8E4M3FN, {0}), As(DType::kFloat8E4M3FN, {1})).max_ulp, 56);
  EXPECT_EQ(Compare(As(DType::kInt32, {5}), As(DType::kInt32, {7})).max_ulp, 0);
  EXPECT_EQ(Compare(As(DType::kInt32, {1}), As(DType::kFloat, {1 + 0x1p-23f})).max_ulp, 1);
}

TEST(TensorDifferenceTest, LongIntegersAreExact) {
  const int64_t big = 9007199254740993;
  TensorDifference d =
      Compare(Tensor::Of<int64_t>({2}, {big, 4}), Tensor::Of<int64_t>({2}, {big - 1, 4}), {});
  EXPECT_EQ(d.values.beyond, 1);
  EXPECT_EQ(d.values.max_absolute, 1);
  EXPECT_EQ(d.mean_absolute, 0.5);
  EXPECT_EQ(d.worst[0].left, "9007199254740993");
  // Against the other signedness too.
  d = Compare(Tensor::Scalar<int64_t>(-1), Tensor::Scalar<uint64_t>(~uint64_t{0}), {});
  EXPECT_EQ(d.values.max_absolute, 0x1p64);
  EXPECT_FALSE(d.same_bits);
  d = Compare(Tensor::Scalar<uint64_t>(1ull << 63), Tensor::Scalar<uint64_t>((1ull << 63) + 1), {});
  EXPECT_EQ(d.values.max_absolute, 1);
  EXPECT_TRUE(Compare(As(DType::kInt32, {-3}), Tensor::Of<int64_t>({1}, {-3}), {}).values.agree());
}

TEST(TensorDifferenceTest, OtherTypesAndShapesAreCompared) {
  const Tensor left = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  TensorDifference d = Compare(left, Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(d.values.agree());
  EXPECT_EQ(d.values.reason, "");
  EXPECT_TRUE(d.same_bits);
  d = Compare(left, Tensor::Of<float>({6}, {1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(d.values.max_absolute_at, "[1,2]");
  d = Compare(left, As(DType::kFloat16, {1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(d.values.agree());
  EXPECT_FALSE(d.same_bits);
  d = Compare(left, Tensor::Of<float>({5}, {1, 2, 3, 4, 5}));
  EXPECT_FALSE(d.values.agree());
  EXPECT_FALSE(d.same_bits);
  EXPECT_EQ(d.values.reason, "shape [2,3] | [5]");
  d = Compare(left, Sequence{});
  EXPECT_FALSE(d.values.agree());
  EXPECT_FALSE(Compare(Tensor::Scalar(1.0f), Tensor::Scalar<std::string>("1")).values.agree());
}

TEST(TensorDifferenceTest, BoolsAndStringsAreEqualOrNot) {
  TensorDifference d = Compare(Tensor::Of<bool>({4}, {true, true, false, false}),
                               Tensor::Of<bool>({4}, {true, false, false, false}), {10, 10});
  EXPECT_FALSE(d.values.agree());
  EXPECT_EQ(d.values.beyond, 1);
  EXPECT_EQ(d.mean_absolute, 0.25);
  EXPECT_EQ(d.worst[0].left, "true");
  d = Compare(Tensor::Of<std::string>({2}, {"a", "b"}), Tensor::Of<std::string>({2}, {"a", "c"}),
              {10, 10});
  EXPECT_FALSE(d.values.agree());
  EXPECT_FALSE(d.same_bits);
  EXPECT_EQ(d.values.beyond, 1);
  EXPECT_EQ(d.mean_absolute, 0.5);
  EXPECT_EQ(d.worst[0].right, "\"c\"");
  EXPECT_TRUE(
      Compare(Tensor::Scalar<std::string>("a"), Tensor::Scalar<std::string>("a")).same_bits);
}

TEST(TensorDifferenceTest, ComplexNumbers) {
  const TensorDifference d = Compare(Tensor::Of<std::complex<float>>({2}, {{3, 4}, {0, 1}}),
                                     Tensor::Of<std::complex<float>>({2}, {{0, 0}, {0, 1}}));
  EXPECT_EQ(d.values.max_absolute, 5);
  EXPECT_EQ(d.mean_absolute, 2.5);
  EXPECT_EQ(d.range, 4);
  EXPECT_NEAR(d.values.cosine, 1 / std::sqrt(26.0), 1e-15);
  EXPECT_EQ(d.max_ulp, 0x40800000);  // 4.0f above 0
}

TEST(TensorDifferenceTest, AddsUpWhatSequencesAndMapsHold) {
  const Tensor one = Tensor::Of<float>({2}, {1, 1});
  const Tensor two = Tensor::Of<float>({2}, {1, 2});
  const Tensor three = Tensor::Of<float>({1}, {4});
  TensorDifference d = Compare(Sequence{DType::kFloat, {one, one, three}},
                               Sequence{DType::kFloat, {one, two, Tensor::Of<float>({1}, {1})}});
  EXPECT_EQ(d.values.elements, 5);
  EXPECT_EQ(d.values.beyond, 2);
  EXPECT_EQ(d.mean_absolute, 0.8);
  EXPECT_EQ(d.values.rms, std::sqrt(2.0));
  ASSERT_EQ(d.worst.size(), 2u);
  EXPECT_EQ(d.worst[0].index, "[2] [0]");
  EXPECT_EQ(d.worst[1].index, "[1] [1]");
  EXPECT_FALSE(Compare(Sequence{DType::kFloat, {one}}, Sequence{}).same_bits);

  const Value some = Optional{std::make_shared<const Value>(one)};
  EXPECT_TRUE(Compare(some, some).same_bits);
  const auto map_of = [](const std::string& key, const Tensor& value) {
    return Value(Map{Tensor::Of<std::string>({1}, {key}), std::make_shared<const Value>(value)});
  };
  d = Compare(map_of("a", one), map_of("b", two));
  EXPECT_EQ(d.values.beyond, 2);
  EXPECT_EQ(d.worst[0].index, "keys [0]");
  const auto sparse = [](float element) {
    return Value(
        SparseTensor{Tensor::Of<float>({1}, {element}), Tensor::Of<int64_t>({1}, {3}), {2, 2}});
  };
  EXPECT_EQ(Compare(sparse(1), sparse(3)).values.max_absolute_at, "values [0]");
}

TEST(TensorDifferenceTest, DoublesWhoseSquaresAreNone) {
  for (const double unit : {1e200, 1e-200}) {
    const TensorDifference d = Compare(Tensor::Of<double>({2}, {3 * unit, 4 * unit}),
                                       Tensor::Of<double>({2}, {4 * unit, 3 * unit}), {});
    EXPECT_NEAR(d.values.rms / unit, 1, 1e-14);
    EXPECT_NEAR(d.mean_absolute / unit, 1, 1e-14);
    EXPECT_NEAR(d.values.cosine, 24.0 / 25, 1e-15);
    EXPECT_NEAR(d.sqnr, 10 * std::log10(25.0 / 2), 1e-13);
  }
}

TEST(TensorDifferenceTest, ReadsViewsAndPackedElements) {
  const Tensor matrix = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor view = matrix.Strided({3, 2}, {1, 3}, 0);
  EXPECT_TRUE(Compare(view, Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 6})).same_bits);
  EXPECT_FALSE(Compare(view, matrix).same_bits);
  EXPECT_FALSE(Compare(Tensor::Of<float>({2}, {0, 0}).Strided({2, 1}, {1, 2}, 0),
                       Tensor::Of<float>({1}, {-0.0f}).Strided({2, 1}, {0, 1}, 0))
                   .same_bits);
  EXPECT_TRUE(Compare(As(DType::kInt4, {1, -8, 3}), As(DType::kInt4, {1, -8, 3})).same_bits);
  EXPECT_EQ(Compare(As(DType::kInt4, {1, -8, 3}), As(DType::kInt4, {1, 7, 3})).mean_absolute, 5);
}

}  // namespace
}  // namespace onnxcmp

// The operators that draw random numbers: the same for the same seed, and of the right
// distribution.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectSameBits;
using testing::kInvalid;
using testing::OpTest;

struct Statistics {
  double mean = 0;
  double deviation = 0;
  double least = 0;
  double greatest = 0;
};

template <typename T>
Statistics Describe(const Tensor& x) {
  const absl::Span<const T> values = x.AsSpan<T>();
  Statistics s;
  for (const T v : values) s.mean += static_cast<double>(v);
  s.mean /= static_cast<double>(values.size());
  for (const T v : values) s.deviation += std::pow(static_cast<double>(v) - s.mean, 2);
  s.deviation = std::sqrt(s.deviation / static_cast<double>(values.size()));
  s.least = static_cast<double>(*std::min_element(values.begin(), values.end()));
  s.greatest = static_cast<double>(*std::max_element(values.begin(), values.end()));
  return s;
}

constexpr int64_t kMany = 40000;  // means are within 5 standard deviations / 200

TEST(RandomNormalTest, MeanDeviationAndTails) {
  const absl::StatusOr<Tensor> x = OpTest("RandomNormal", 1)
                                       .Attr("shape", std::vector<int64_t>{200, 200})
                                       .Attr("mean", 3.0f)
                                       .Attr("scale", 2.0f)
                                       .Run();
  ASSERT_TRUE(x.ok()) << x.status();
  const Statistics s = Describe<float>(*x);
  EXPECT_NEAR(s.mean, 3, 0.05);
  EXPECT_NEAR(s.deviation, 2, 0.04);
  const absl::Span<const float> values = x->AsSpan<float>();
  const auto inside =
      std::count_if(values.begin(), values.end(), [](float v) { return std::abs(v - 3) < 2; });
  EXPECT_NEAR(static_cast<double>(inside) / kMany, 0.6827, 0.012);
}

TEST(RandomUniformTest, BoundsMeanAndDeviation) {
  const absl::StatusOr<Tensor> x =
      OpTest("RandomUniformLike", 22)
          .Attr("low", -1.0f)
          .Attr("high", 3.0f)
          .Attr("dtype", static_cast<int>(DType::kDouble))
          .Input(Tensor::Of<int8_t>({kMany}, std::vector<int8_t>(kMany)))
          .Run();
  ASSERT_TRUE(x.ok()) << x.status();
  const Statistics s = Describe<double>(*x);
  EXPECT_NEAR(s.mean, 1, 0.03);
  EXPECT_NEAR(s.deviation, 4 / std::sqrt(12), 0.02);
  EXPECT_GE(s.least, -1);
  EXPECT_LT(s.least, -0.99);
  EXPECT_LT(s.greatest, 3);
  EXPECT_GT(s.greatest, 2.99);
}

TEST(RandomTest, SeedsDecide) {
  const auto run = [](float seed, int threads) {
    return OpTest("RandomNormalLike", 1)
        .Attr("seed", seed)
        .Threads(threads)
        .Input(Tensor::Of<float>({100}, std::vector<float>(100)))
        .Run();
  };
  const absl::StatusOr<Tensor> first = run(1, 1);
  ASSERT_TRUE(first.ok()) << first.status();
  ExpectSameBits(run(1, 4), *first);
  const absl::StatusOr<Tensor> other = run(2, 1);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(first->AsSpan<float>()[0], other->AsSpan<float>()[0]);
  // Without one, the run's seed does.
  const OpTest seedless =
      std::move(OpTest("RandomUniform", 1).Attr("shape", std::vector<int64_t>{3}));
  const absl::StatusOr<Tensor> drawn = seedless.Run();
  ASSERT_TRUE(drawn.ok());
  ExpectSameBits(seedless.Run(), *drawn);
}

TEST(RandomTest, WrongTypesAndShapes) {
  ExpectError(OpTest("RandomNormalLike", 1).Input(Tensor::Of<int64_t>({1}, {1})).Run().status(),
              kInvalid, "random numbers of type int64 need the attribute dtype");
  ExpectError(OpTest("RandomUniform", 1)
                  .Attr("shape", std::vector<int64_t>{1})
                  .Attr("dtype", static_cast<int>(DType::kInt32))
                  .Run()
                  .status(),
              kInvalid, "dtype 6 is not a type of floating-point numbers");
  EXPECT_FALSE(OpTest("RandomUniform", 1).Attr("shape", std::vector<int64_t>{-1}).Run().ok());
}

TEST(BernoulliTest, Probabilities) {
  std::vector<float> p(kMany, 0.25f);
  p[0] = 0;
  p[1] = 1;
  const absl::StatusOr<Tensor> x = OpTest("Bernoulli", 15)
                                       .Attr("dtype", static_cast<int>(DType::kInt32))
                                       .Input(Tensor::Of<float>({kMany}, p))
                                       .Run();
  ASSERT_TRUE(x.ok()) << x.status();
  EXPECT_EQ(x->AsSpan<int32_t>()[0], 0);
  EXPECT_EQ(x->AsSpan<int32_t>()[1], 1);
  const Statistics s = Describe<int32_t>(*x);
  EXPECT_NEAR(s.mean, 0.25, 0.011);
  EXPECT_EQ(s.least, 0);
  EXPECT_EQ(s.greatest, 1);
}

TEST(MultinomialTest, ProbabilitiesOfEveryRow) {
  const absl::StatusOr<Tensor> x =
      OpTest("Multinomial", 7)
          .Attr("sample_size", kMany)
          .Attr("dtype", static_cast<int>(DType::kInt64))
          .Input(Tensor::Of<float>({2, 3}, {0, std::log(3.0f), -INFINITY, 500, -500, 500}))
          .Run();
  ASSERT_TRUE(x.ok()) << x.status();
  const absl::Span<const int64_t> drawn = x->AsSpan<int64_t>();
  const auto share = [&](int64_t row, int64_t value) {
    const auto begin = drawn.begin() + row * kMany;
    return static_cast<double>(std::count(begin, begin + kMany, value)) / kMany;
  };
  EXPECT_NEAR(share(0, 0), 0.25, 0.011);
  EXPECT_NEAR(share(0, 1), 0.75, 0.011);
  EXPECT_EQ(share(0, 2), 0);
  EXPECT_NEAR(share(1, 0), 0.5, 0.013);
  EXPECT_EQ(share(1, 1), 0);
}

TEST(MultinomialTest, NothingToDrawFrom) {
  ExpectError(OpTest("Multinomial", 7)
                  .Input(Tensor::Of<float>({1, 2}, {-INFINITY, -INFINITY}))
                  .Run()
                  .status(),
              kInvalid, "row 0 has no probabilities");
  ExpectError(OpTest("Multinomial", 7).Input(Tensor::Of<float>({2, 0}, {})).Run().status(),
              kInvalid, "there are no classes");
}

}  // namespace
}  // namespace onnxcmp

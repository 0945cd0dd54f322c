#include "record/differences/tensor_distance.h"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/base/thread_pool.h"

namespace onnxcmp {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

double DistanceOf(const Tensor& left, const Tensor& right) {
  return Distance(Measure(left), Measure(right));
}

// More than one piece, with the last strip cut short.
Tensor Many(float farthest) {
  std::vector<float> elements(200001);
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = (i % 2 == 0 ? 1.0f : -1.0f) * (1 + static_cast<float>(i % 7));
  }
  elements[200000] += farthest;
  return Tensor::Of<float>({200001}, elements);
}

TEST(Distance, IsThatOfTheFarthestElementAgainstItsSizeOrTheScale) {
  // The scale is the root mean square, 2, for all but the last.
  const Tensor left = Tensor::Of<float>({4}, {2, -2, 2, -2});
  EXPECT_THAT(DistanceOf(left, Tensor::Of<float>({4}, {2, -2.5f, 2, -2.25f})),
              DoubleNear(0.25, 1e-6));
  EXPECT_EQ(DistanceOf(left, left), 0);
  const Tensor large = Tensor::Of<float>({4}, {1, 1, 1, 100});
  EXPECT_THAT(DistanceOf(large, Tensor::Of<float>({4}, {1, 1, 1, 101})), DoubleNear(0.01, 1e-6));
}

TEST(Distance, InfiniteWhereNotFiniteElementsAreInOtherPlaces) {
  const Tensor left = Tensor::Of<float>({3}, {1, kNan, -kInfinity});
  EXPECT_EQ(DistanceOf(left, left), 0);
  EXPECT_EQ(DistanceOf(left, Tensor::Of<float>({3}, {1, 2, -kInfinity})), kInfinity);
  EXPECT_EQ(DistanceOf(left, Tensor::Of<float>({3}, {1, kNan, kInfinity})), kInfinity);
}

TEST(Distance, SeesTheLastElementOfManyForAnyNumberOfThreads) {
  const ThreadPool pool(4);
  const Measured left = Measure(Many(0), &pool);
  const Measured right = Measure(Many(0.5f), &pool);
  EXPECT_EQ(left.size, 200001);
  EXPECT_EQ(left.scale, Measure(Many(0)).scale);
  EXPECT_EQ(Distance(left, right, &pool), Distance(left, right));
  // The elements' root mean square is that of 1 to 7; the last one's own size is 4.
  EXPECT_THAT(Distance(left, right), DoubleNear(0.5 / std::sqrt(20.0), 1e-3));
  EXPECT_TRUE(Near(left, left, &pool));
  EXPECT_FALSE(Near(left, right, &pool));
}

TEST(Distance, OthersAreTheSameForAnyNumberOfThreadsToo) {
  const ThreadPool pool(4);
  const Measured left = Measure(Many(0));
  const Measured right = Measure(Many(0.5f));
  EXPECT_EQ(RelativeRms(left.tensor, right.tensor, &pool), RelativeRms(left.tensor, right.tensor));
  EXPECT_THAT(RelativeRms(left.tensor, right.tensor),
              DoubleNear(0.5 / std::sqrt(20.0 * 200001), 1e-7));
  EXPECT_EQ(RelativeRms(left.tensor, left.tensor, &pool), 0);
  EXPECT_EQ(UnequalShare(left.tensor, right.tensor, &pool), 1.0 / 200001);
  EXPECT_EQ(UnequalShare(left.tensor, left.tensor), 0);
  const Tensor nans = Tensor::Of<float>({2}, {1, kNan});
  EXPECT_EQ(UnequalShare(nans, nans), 0);
}

TEST(Converted, IsTheSameForAnyNumberOfThreadsAndTellsWhatItClamps) {
  const ThreadPool pool(4);
  const auto convert = [&](float last, const ThreadPool* threads, bool* clamped) {
    const absl::StatusOr<Value> converted =
        ConvertedTo(Many(last), DType::kFloat16, {200001}, {threads, nullptr, clamped});
    EXPECT_TRUE(converted.ok()) << converted.status();
    return ElementsOf(converted->tensor());
  };
  bool clamped = true;
  const std::vector<double> elements = convert(0.1f, nullptr, &clamped);
  EXPECT_FALSE(clamped);
  EXPECT_EQ(elements[3], -4);
  EXPECT_THAT(elements[200000], DoubleNear(4.1, 2e-3));
  EXPECT_EQ(convert(0.1f, &pool, &clamped), elements);
  EXPECT_EQ(convert(70000, &pool, &clamped)[200000], 65504);
  EXPECT_TRUE(clamped);
  EXPECT_EQ(convert(kInfinity, &pool, &clamped)[200000], kInfinity);
  EXPECT_FALSE(clamped);
}

TEST(Distance, ComplexNumbersArePairsOfNumbers) {
  using Complex = std::complex<float>;
  const Tensor left = Tensor::Of<Complex>({2}, {Complex(3, 3), Complex(-3, 3)});
  const Tensor right = Tensor::Of<Complex>({2}, {Complex(3, 3), Complex(-3, 4.5f)});
  EXPECT_EQ(Measure(left).size, 4);
  EXPECT_THAT(ElementsOf(left), ElementsAre(3, 3, -3, 3));
  EXPECT_THAT(DistanceOf(left, right), DoubleNear(0.5, 1e-6));
}

TEST(Scale, AMaskDoesNotMakeItLarge) {
  std::vector<double> elements(1000, 2.0);
  EXPECT_THAT(ScaleOf(elements), DoubleEq(2));
  elements[3] = -10000;
  EXPECT_THAT(ScaleOf(elements), DoubleEq(8));  // four times the median
  elements[3] = -1e30;
  elements[4] = 0;
  EXPECT_THAT(ScaleOf(elements), DoubleEq(2));  // neither counts
}

TEST(Scale, OfManyIsThatOfThoseThatCount) {
  const ThreadPool pool(4);
  std::vector<double> elements(200003, 3.0);
  EXPECT_THAT(ScaleOf(elements), DoubleEq(3));
  // The median of those that are not 0 is not 0, however few they are.
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i % 100 != 0) elements[i] = i % 3 == 0 ? 0 : kNan;
  }
  EXPECT_THAT(ScaleOf(elements), DoubleEq(3));
  elements[0] = 1e6;
  EXPECT_THAT(ScaleOf(elements), DoubleEq(12));
  EXPECT_EQ(ScaleOf(elements, &pool), ScaleOf(elements));
}

TEST(Near, NumbersOfEightBitsMayBeAStepOffHereAndThere) {
  std::vector<uint8_t> elements(100, 7);
  const Measured left = Measure(Tensor::Of<uint8_t>({100}, elements));
  elements[4] = 8;
  elements[60] = 6;
  EXPECT_TRUE(Near(left, Measure(Tensor::Of<uint8_t>({100}, elements))));
  elements[61] = 6;
  EXPECT_FALSE(Near(left, Measure(Tensor::Of<uint8_t>({100}, elements))));
  elements[60] = elements[61] = 7;
  elements[4] = 9;
  EXPECT_FALSE(Near(left, Measure(Tensor::Of<uint8_t>({100}, elements))));
}

}  // namespace
}  // namespace onnxcmp

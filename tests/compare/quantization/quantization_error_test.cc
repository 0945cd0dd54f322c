// Reals as they are stored, and figures of pairs of them, against some computed plainly.
#include "compare/quantization/quantization_error.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/quantization/dequantized_view.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

QuantParamValues QuantParamsOf(std::vector<double> scales, std::vector<double> zero_points,
                               int64_t axis) {
  return {std::move(scales), std::move(zero_points), axis, 0, -128, 127};
}

// More than three pieces, and a piece that is not whole.
std::vector<double> ManyNumbers(uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> numbers(200003);
  for (double& number : numbers) number = static_cast<double>(engine() % 20001) / 10000 + 2;
  return numbers;
}

TEST(DequantizedView, IntegersStandForOthersByTheirChannel) {
  const Tensor integers = Tensor::Of<int8_t>({2, 3}, {1, 2, 3, -1, -2, 100});
  EXPECT_THAT(DequantizedView(integers, QuantParamsOf({0.5, 2}, {1, 0}, 0)).All(),
              ElementsAre(0, 0.5, 1, -2, -4, 200));
  EXPECT_THAT(DequantizedView(integers, QuantParamsOf({1, 10, 100}, {1}, 1)).All(),
              ElementsAre(0, 10, 200, -2, -30, 9900));
  EXPECT_THAT(DequantizedView(integers, QuantParamsOf({0.25}, {2}, 0)).All(),
              ElementsAre(-0.25, 0, 0.25, -0.75, -1, 24.5));
}

TEST(DequantizedView, AreRoundedHalvesToEvenAndSaturate) {
  const DequantizedView reals(std::vector<double>{0.5, 1.5, 2.5, -0.5, 1000, -1000, kNaN});
  const auto integers = Quantized(reals, {7}, DType::kInt8, QuantParamsOf({1}, {3}, 0), nullptr);
  ASSERT_TRUE(integers.ok()) << integers.status();
  EXPECT_THAT(integers->AsSpan<int8_t>(), ElementsAre(3, 5, 5, 3, 127, -128, 3));
  const auto by_channel = Quantized(DequantizedView(std::vector<double>{1, 2, 3, 4}), {2, 2},
                                    DType::kInt8, QuantParamsOf({1, 2}, {0, 1}, 1), nullptr);
  ASSERT_TRUE(by_channel.ok()) << by_channel.status();
  EXPECT_THAT(by_channel->AsSpan<int8_t>(), ElementsAre(1, 2, 3, 3));
}

TEST(DequantizedView, PackedIntegersOfManyPiecesComeBack) {
  const ThreadPool pool(3);
  std::vector<double> numbers(200003);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * 7 % 16) - 8;
  QuantParamValues params = QuantParamsOf({1}, {0}, 0);
  params.least = -8;
  params.most = 7;
  const Shape shape = {static_cast<int64_t>(numbers.size())};
  const auto integers = Quantized(DequantizedView(numbers), shape, DType::kInt4, params, &pool);
  ASSERT_TRUE(integers.ok()) << integers.status();
  EXPECT_EQ(DequantizedView(*integers, params).All(), numbers);
  const auto floats = InFloats(DequantizedView(*integers, params), shape, DType::kFloat, &pool);
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_THAT(DequantizedView(*floats).All(), Pointwise(DoubleEq(), numbers));
}

TEST(Signal, LikenessIsThatOfPlainSums) {
  const std::vector<double> a = ManyNumbers(1);
  std::vector<double> b = ManyNumbers(2);
  long double aa = 0, bb = 0, ab = 0, rest = 0, mean_a = 0, mean_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    b[i] = a[i] + b[i] / 4;
    mean_a += a[i] / static_cast<long double>(a.size());
    mean_b += b[i] / static_cast<long double>(a.size());
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
    rest += (a[i] - b[i]) * (a[i] - b[i]);
  }
  long double caa = 0, cbb = 0, cab = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    caa += (a[i] - mean_a) * (a[i] - mean_a);
    cbb += (b[i] - mean_b) * (b[i] - mean_b);
    cab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  const NoiseStats noise_stats = NoiseStatsOf(a, b);
  EXPECT_NEAR(noise_stats.noise, std::sqrt(static_cast<double>(rest / aa)), 1e-12);
  EXPECT_NEAR(noise_stats.cosine, static_cast<double>(ab / std::sqrt(aa * bb)), 1e-12);
  EXPECT_NEAR(noise_stats.correlation, static_cast<double>(cab / std::sqrt(caa * cbb)), 1e-12);
  const LeastSquaresLine line = LineThrough(a, b);
  EXPECT_NEAR(line.slope, static_cast<double>(cab / caa), 1e-12);
  EXPECT_NEAR(line.offset, static_cast<double>(mean_b - cab / caa * mean_a), 1e-10);
}

TEST(Signal, MasksAndNaNDoNotCount) {
  const std::vector<double> a = {1, kNaN, 3, -3e38, 5, 7};
  const std::vector<double> b = {2, 0, 5, 4, 9e30, 8};
  const NoiseStats noise_stats = NoiseStatsOf(a, b);
  EXPECT_DOUBLE_EQ(noise_stats.noise, std::sqrt((1.0 + 4 + 1) / (1 + 9 + 49)));
  EXPECT_DOUBLE_EQ(noise_stats.cosine, (2.0 + 15 + 56) / std::sqrt(59.0 * (4 + 25 + 64)));
  // About the means 11/3 and 5.
  EXPECT_NEAR(noise_stats.correlation, 18 / std::sqrt((59 - 121.0 / 3) * (93 - 75)), 1e-12);
  EXPECT_EQ(NoiseStatsOf(std::vector<double>{kNaN}, std::vector<double>{1}).noise, 0);
}

TEST(Signal, TheSameBitsForAnyNumberOfThreads) {
  const DequantizedView a(ManyNumbers(1));
  const DequantizedView b(ManyNumbers(2));
  const NoiseStats alone = NoiseStatsOf(a, b, nullptr);
  for (const int threads : {1, 2, 5}) {
    const ThreadPool pool(threads);
    const NoiseStats noise_stats = NoiseStatsOf(a, b, &pool);
    EXPECT_EQ(noise_stats.noise, alone.noise);
    EXPECT_EQ(noise_stats.cosine, alone.cosine);
    EXPECT_EQ(noise_stats.correlation, alone.correlation);
  }
}

TEST(Signal, EachChannelHasItsLine) {
  // Channels of two elements each, twice: b = 2 a + 1, and b = -a with one pair that is off.
  const DequantizedView a(std::vector<double>{1, 2, 1, 2, 3, 5, 4, kNaN});
  const DequantizedView b(std::vector<double>{3, 5, -1, -2, 7, 11, -4, 6});
  const std::vector<ChannelLine> lines = LinesThrough(a, b, 2, 2, nullptr);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NEAR(lines[0].line.slope, 2, 1e-12);
  EXPECT_NEAR(lines[0].line.offset, 1, 1e-12);
  EXPECT_EQ(lines[0].count, 4);
  EXPECT_NEAR(lines[0].rest, 0, 1e-12);
  EXPECT_NEAR(lines[0].squares, 4 * (1 + 4 + 9 + 25), 1e-10);
  EXPECT_NEAR(lines[1].line.slope, -1, 1e-12);
  EXPECT_EQ(lines[1].count, 3);
  // a = 0, 1, 2 and b = 0, 1, 5: the line is 2.5 a - 0.5, and leaves 0.5, -1 and 0.5.
  const ChannelLine rough =
      LinesThrough(DequantizedView(std::vector<double>{0, 1, 2}),
                   DequantizedView(std::vector<double>{0, 1, 5}), 1, 1, nullptr)[0];
  EXPECT_NEAR(rough.line.slope, 2.5, 1e-12);
  EXPECT_NEAR(rough.line.offset, -0.5, 1e-12);
  EXPECT_NEAR(rough.rest, 1.5, 1e-12);
  EXPECT_EQ(rough.apart, 9);
  EXPECT_NEAR(rough.from_zero, 11.0 / 5, 1e-12);
  EXPECT_EQ(rough.least_a, 0);
  EXPECT_EQ(rough.most_a, 2);
  EXPECT_EQ(rough.most_b, 5);
}

// By the scale that an element has: along an axis, and in blocks along it.
TEST(Signal, ChannelsAreThoseOfAGrid) {
  const DequantizedView a(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
  const DequantizedView b(std::vector<double>{2, 6, 6, 12, 25, 36, 35, 48});
  const Shape shape = {4, 2};
  QuantParamValues params = QuantParamsOf({1, 1}, {0}, 1);
  std::vector<ChannelLine> lines = LinesThrough(a, b, params, shape, nullptr);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].most_b, 35);
  EXPECT_EQ(lines[1].most_b, 48);
  params = QuantParamsOf({1, 1, 1, 1}, {0}, 0);
  params.block = 2;
  lines = LinesThrough(a, b, params, shape, nullptr);
  ASSERT_EQ(lines.size(), 4u);
  const double slopes[] = {2, 3, 5, 6};
  for (size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(lines[c].count, 2);
    EXPECT_NEAR(lines[c].from_zero, slopes[c], 1e-12) << c;
  }
}

// Pieces and strips cut through channels and their runs.
TEST(Signal, ManyElementsOfManyChannels) {
  const std::vector<double> a = ManyNumbers(1);
  const int64_t channels = 7;
  const int64_t inner = 13;
  std::vector<double> b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const auto channel = static_cast<int64_t>(i) / inner % channels;
    b[i] = a[i] * static_cast<double>(channel + 1) + 3;
  }
  const ThreadPool pool(3);
  const std::vector<ChannelLine> lines =
      LinesThrough(DequantizedView(a), DequantizedView(b), channels, inner, &pool);
  const std::vector<ChannelLine> alone =
      LinesThrough(DequantizedView(a), DequantizedView(b), channels, inner, nullptr);
  double count = 0;
  for (size_t c = 0; c < lines.size(); ++c) {
    EXPECT_NEAR(lines[c].line.slope, static_cast<double>(c + 1), 1e-9);
    EXPECT_NEAR(lines[c].line.offset, 3, 1e-8);
    EXPECT_EQ(lines[c].line.slope, alone[c].line.slope);
    EXPECT_EQ(lines[c].apart, alone[c].apart);
    count += lines[c].count;
  }
  EXPECT_EQ(count, static_cast<double>(a.size()));
}

}  // namespace
}  // namespace onnxcmp

// A bias of integers without a scale: which steps it was rounded to shows in its numbers alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kIn = 6;
constexpr int kOut = 5;

std::string List(const std::vector<double>& numbers) {
  return absl::StrCat("{",
                      absl::StrJoin(numbers, ", ",
                                    [](std::string* out, double number) {
                                      absl::StrAppend(out, static_cast<float>(number));
                                    }),
                      "}");
}

std::vector<double> Uniform(int count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(draw(engine));
  return numbers;
}

// A layer of a product with a bias, in floats and in integers.
struct Layer {
  std::vector<double> weights = Uniform(kIn * kOut, 1);  // kOut rows
  std::vector<double> bias = Uniform(kOut, 2);
  bool per_channel = false;
  // The bias in steps, of the right one.
  std::function<double(size_t channel, double steps)> changed = [](size_t, double steps) {
    return steps;
  };
  double x_scale = 8.0 / 255;
  double y_scale = 8.0 / 255;

  double WeightsScale(size_t channel) const {
    if (!per_channel) return 1.0 / 127;
    double most = 0;
    for (size_t i = 0; i < kIn; ++i) most = std::max(most, std::abs(weights[channel * kIn + i]));
    return most / 127;
  }

  // `shape`: of the weights.
  std::string Constants(const std::string& shape) const {
    std::vector<double> scales, integers, steps;
    for (size_t c = 0; c < kOut; ++c) {
      const double scale = WeightsScale(c);
      if (c == 0 || per_channel) scales.push_back(scale);
      for (size_t i = 0; i < kIn; ++i) integers.push_back(std::round(weights[c * kIn + i] / scale));
      steps.push_back(std::round(changed(c, std::round(bias[c] / (x_scale * scale)))));
    }
    const std::string channels = per_channel ? absl::StrCat("[", kOut, "]") : "";
    return absl::StrCat(
        "<float xs = ", List({x_scale}), ", uint8 xz = {128}, float ys = ", List({y_scale}),
        ", uint8 yz = {128}, int8", channels, " wz = ", List(std::vector<double>(scales.size(), 0)),
        ", float", channels, " ws = ", List(scales), ", int32[", kOut, "] b = ", List(steps),
        ", int8", shape, " w = ", List(integers), ">");
  }
};

std::vector<std::string> MistakesOf(const std::string& left, const std::string& right,
                                    const Shape& shape) {
  CompareOptions options;
  options.quantization = true;
  const auto comparison =
      testing::CompareGraphs(left, right, {{"x", testing::RandomFloats(shape, 3)}}, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  std::vector<std::string> texts;
  if (!comparison.ok() || !comparison->quantization.has_value()) return texts;
  EXPECT_EQ(comparison->quantization->not_looked_at, 0);
  for (const QuantizationMistake& mistake : comparison->quantization->mistakes) {
    texts.push_back(mistake.text);
  }
  return texts;
}

std::vector<std::string> OfConvolution(const Layer& layer) {
  return MistakesOf(
      absl::StrCat(
          "(float[2,6,5,5] x) => (float[2,5,5,5] y) <float[5,6,1,1] w = ", List(layer.weights),
          ", float[5] b = ", List(layer.bias), "> { y = Conv (x, w, b) }"),
      absl::StrCat("(float[2,6,5,5] x) => (float[2,5,5,5] y) ", layer.Constants("[5,6,1,1]"),
                   R"({
                     x_q = QuantizeLinear (x, xs, xz)
                     y_q = QLinearConv (x_q, xs, xz, w, ws, wz, ys, yz, b)
                     y = DequantizeLinear (y_q, ys, yz)
                   })"),
      {2, 6, 5, 5});
}

std::vector<std::string> OfGemm(const Layer& layer) {
  return MistakesOf(
      absl::StrCat("(float[40,6] x) => (float[40,5] y) <float[5,6] w = ", List(layer.weights),
                   ", float[5] b = ", List(layer.bias), "> { y = Gemm <transB = 1> (x, w, b) }"),
      absl::StrCat("(float[40,6] x) => (float[40,5] y) ", layer.Constants("[5,6]"), R"({
                     x_q = QuantizeLinear (x, xs, xz)
                     y_q = com.microsoft.QGemm <transB = 1> (x_q, xs, xz, w, ws, wz, b, ys, yz)
                     y = DequantizeLinear (y_q, ys, yz)
                   })"),
      {40, 6});
}

TEST(BiasMistake, HonestOnesAreNone) {
  for (const bool per_channel : {false, true}) {
    Layer layer;
    layer.per_channel = per_channel;
    EXPECT_THAT(OfConvolution(layer), IsEmpty());
    EXPECT_THAT(OfGemm(layer), IsEmpty());
    // Steps that rounding may leave it off.
    layer.changed = [](size_t c, double steps) { return steps + (c % 2 == 0 ? 2 : -2); };
    EXPECT_THAT(OfConvolution(layer), IsEmpty());
  }
}

TEST(BiasMistake, AnotherScaleIsNamed) {
  for (const double factor : {0.5, 2.0, 3.0}) {
    Layer layer;
    layer.changed = [&](size_t, double steps) { return factor * steps; };
    const auto named =
        ElementsAre(AllOf(HasSubstr(absl::StrCat("bias b is ", factor, " times what it should be")),
                          HasSubstr("reads it in steps of xs * ws")));
    EXPECT_THAT(OfConvolution(layer), named);
    EXPECT_THAT(OfGemm(layer), named);
  }
}

// All channels in the steps of the first one.
TEST(BiasMistake, TheScaleOfAnotherChannelIsNamed) {
  Layer layer;
  layer.per_channel = true;
  for (size_t i = 0; i < kIn; ++i) layer.weights[i] *= 0.25;
  layer.changed = [&](size_t c, double steps) {
    return steps * layer.WeightsScale(c) / layer.WeightsScale(0);
  };
  EXPECT_THAT(OfConvolution(layer), ElementsAre(HasSubstr("bias b is")));
}

}  // namespace
}  // namespace onnxcmp

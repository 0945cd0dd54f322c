#include "compare/inside/derived_values.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;

// Each element with its channel, which is the second axis of [2, 3, 5].
Tensor Of(const Tensor& x, const std::function<double(double, int64_t)>& function) {
  std::vector<float> made;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    made.push_back(static_cast<float>(function(x.data<float>()[i], i / 5 % 3)));
  }
  return Tensor::Of<float>(x.shape(), made);
}

double Normalized(double x, int64_t channel) {
  constexpr double kFactors[] = {0.7, 1.4, -0.9};
  constexpr double kOffsets[] = {0.2, -0.5, 0.1};
  return kFactors[channel] * x + kOffsets[channel];
}

TEST(HowDerived, BeforeWhatWasFolded) {
  const Tensor x = RandomFloats({2, 3, 5}, 1);
  EXPECT_EQ(HowDerived(x, Of(x, Normalized), 1e-4), "before a folded BatchNormalization");
  const Tensor relu = Of(x, [](double v, int64_t c) { return std::max(0.0, Normalized(v, c)); });
  EXPECT_EQ(HowDerived(x, relu, 1e-4), "before a folded BatchNormalization and a Relu");
}

TEST(HowDerived, BeforeAnActivation) {
  const Tensor x = RandomFloats({2, 3, 5}, 1);
  const auto of = [&](double (*function)(double)) {
    return HowDerived(x, Of(x, [&](double v, int64_t) { return function(v); }), 1e-5);
  };
  EXPECT_EQ(of([](double v) { return std::max(v, 0.0); }), "before a Relu");
  EXPECT_EQ(of([](double v) { return std::clamp(v, -0.1, 0.4); }), "before a Clip");
  EXPECT_EQ(of([](double v) { return v * 0.5 * (1 + std::erf(v * std::sqrt(0.5))); }),
            "before a Gelu");
  EXPECT_EQ(of([](double v) { return v / (1 + std::exp(-v)); }), "before a Swish");
}

// Faults look otherwise: the whole scaled or shifted, a channel lost, noise.
TEST(HowDerived, NothingOfWhatIsWrong) {
  const Tensor x = RandomFloats({2, 3, 5}, 1);
  const auto of = [&](const std::function<double(double, int64_t)>& function) {
    return HowDerived(x, Of(x, function), 1e-4);
  };
  EXPECT_EQ(of([](double v, int64_t) { return v; }), "");
  EXPECT_EQ(of([](double v, int64_t) { return 1.1 * v; }), "");
  EXPECT_EQ(of([](double v, int64_t) { return -v; }), "");
  EXPECT_EQ(of([](double v, int64_t) { return v + 0.2; }), "");
  EXPECT_EQ(of([](double v, int64_t channel) { return v + 0.1 * static_cast<double>(channel); }),
            "");
  EXPECT_EQ(of([](double v, int64_t channel) { return Normalized(v, channel) + 0.1 * v * v; }), "");
  EXPECT_EQ(HowDerived(x, RandomFloats({2, 3, 5}, 2), 1e-4), "");
}

// In a coarse type an offset explains a channel that is about one number, whatever was before it.
TEST(HowDerived, ChannelsThatAreAboutOneNumber) {
  constexpr double kNoise = 5e-2;
  const Tensor noise = RandomFloats({2, 3, 5}, 1);
  constexpr double kNumbers[] = {0.3, 0.5, 0.35};
  const Tensor x = Of(noise, [&](double v, int64_t c) { return kNumbers[c] + 0.03 * v; });
  const Tensor y = Of(x, Normalized);
  EXPECT_EQ(HowDerived(x, y, kNoise), "before a folded BatchNormalization");
  EXPECT_EQ(HowDerived(Of(y, [](double v, int64_t c) { return c == 0 ? 0 : v; }), y, kNoise), "");
  EXPECT_EQ(HowDerived(Of(y, [](double v, int64_t) { return 1.1 * v; }), y, kNoise), "");
}

// A function of small numbers is about a factor of them, in a coarse type any factor.
TEST(HowDerived, FactorsAreNoFunctions) {
  const Tensor y = Of(RandomFloats({2, 3, 5}, 1), [](double v, int64_t) { return 0.5 * v; });
  for (const double factor : {0.9, 1.05, 1.1}) {
    EXPECT_EQ(HowDerived(Of(y, [&](double v, int64_t) { return factor * v; }), y, 5e-2), "");
  }
  const Tensor x = Of(RandomFloats({2, 3, 5}, 1), [](double v, int64_t) { return 3 * v; });
  EXPECT_EQ(HowDerived(x, Of(x, [](double v, int64_t) { return std::tanh(v); }), 5e-2),
            "before a Tanh");
}

// Channels that are all 0 before say nothing against the others.
TEST(HowDerived, DeadChannels) {
  const Tensor x =
      Of(RandomFloats({2, 3, 5}, 1), [](double v, int64_t c) { return c == 1 ? 0 : v; });
  EXPECT_EQ(HowDerived(x, Of(x, Normalized), 1e-4), "before a folded BatchNormalization");
}

// A scale may be negative, but those of many channels are not negative without exception.
TEST(HowDerived, NegatedBeforeANormalization) {
  const auto normalized = [](const Tensor& x, int64_t first_positive) {
    std::vector<float> made;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const int64_t c = i / 20 % x.dim(1);
      const double factor = 0.7 + 0.1 * static_cast<double>(c);
      const double sign = c < first_positive ? -1 : 1;
      const double offset = 0.2 - 0.1 * static_cast<double>(c % 4);
      made.push_back(static_cast<float>(sign * factor * x.data<float>()[i] + offset));
    }
    return Tensor::Of<float>(x.shape(), made);
  };
  const Tensor x = RandomFloats({2, 8, 20}, 1);
  const Tensor few = RandomFloats({2, 3, 20}, 1);
  constexpr char kHow[] = "before a folded BatchNormalization";
  EXPECT_EQ(HowDerived(x, normalized(x, 0), 1e-4), kHow);
  EXPECT_EQ(HowDerived(x, normalized(x, 7), 1e-4), kHow);
  EXPECT_EQ(HowDerived(few, normalized(few, 3), 1e-4), kHow);
  const Tensor negated = normalized(x, 8);
  EXPECT_EQ(HowDerived(x, negated, 1e-4), "");
  const Tensor relu = Of(negated, [](double v, int64_t) { return std::max(v, 0.0); });
  EXPECT_EQ(HowDerived(x, relu, 1e-4), "");
}

TEST(HowDerived, OffsetsWhereNothingElseSpeaksForIt) {
  const Tensor x = RandomFloats({2, 3, 5}, 1);
  const SwallowedSteps may = {.with_offsets = true};
  EXPECT_EQ(HowDerived(x, Of(x, Normalized), 1e-4, may), "before a folded BatchNormalization");
  const auto scaled = [](double v, int64_t c) { return v * (0.7 + 0.3 * static_cast<double>(c)); };
  EXPECT_EQ(HowDerived(x, Of(x, scaled), 1e-4, may), "");
}

TEST(HowInside, StepsOfAnOperator) {
  const Tensor x = RandomFloats({2, 3, 5}, 1);
  const auto of = [&](double (*function)(double), const char* op_type) {
    return HowInside(Of(x, [&](double v, int64_t) { return function(v); }), x, {op_type}, 1e-5);
  };
  const auto hard = [](double v) { return std::clamp(v / 6 + 0.5, 0.0, 1.0); };
  EXPECT_EQ(of(hard, "HardSwish"), "inside of a HardSwish");
  EXPECT_EQ(of(hard, "Gelu"), "");
  EXPECT_EQ(of([](double v) { return std::erf(v * std::sqrt(0.5)); }, "Gelu"), "inside of a Gelu");
  EXPECT_EQ(of([](double v) { return 1.1 * v; }, "HardSwish"), "");
  EXPECT_TRUE(HasInnerSteps("Elu"));
  EXPECT_FALSE(HasInnerSteps("Relu"));
}

}  // namespace
}  // namespace onnxcmp

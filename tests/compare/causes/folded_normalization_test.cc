// A BatchNormalization that one side has folded into the layer before it, with one number off.
#include "compare/causes/folded/folded_normalization.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/causes/cause_class.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A layer of four channels with its normalization, and what folding makes of them.
struct Parts {
  std::vector<std::vector<double>> weights = {{0.5, -0.25, 1.5, 0.75, -0.6},
                                              {0.3, 0.9, -1.1, 0.2, 0.45},
                                              {-0.8, 0.35, 0.15, -0.55, 1.2},
                                              {1.05, -0.95, 0.65, 0.4, -0.7}};
  std::vector<double> own = {0.2, -0.3, 0.45, 0.1};
  std::vector<double> scale = {1.2, 0.7, -0.9, 1.4};
  std::vector<double> beta = {0.05, -0.4, 0.3, 0.6};
  std::vector<double> mean = {-0.35, 0.8, 0.25, -0.15};
  std::vector<double> variance = {0.6, 0.05, 1.7, 0.3};
  double epsilon = 1e-5;

  double factor(size_t k) const { return scale[k] / std::sqrt(variance[k] + epsilon); }
  ChannelLayer Normalized() const {
    ChannelLayer layer;
    layer.weights = weights;
    layer.bias = own;
    layer.has_bias = true;
    layer.rounding = 0x1p-23;
    layer.normalization = ChannelNormalization{scale, beta, mean, variance, epsilon};
    return layer;
  }
  // As floats, of what is computed in double.
  ChannelLayer Folded() const {
    ChannelLayer layer;
    layer.has_bias = true;
    layer.rounding = 0x1p-23;
    for (size_t k = 0; k < weights.size(); ++k) {
      std::vector<double>& scaled = layer.weights.emplace_back();
      for (const double weight : weights[k]) {
        scaled.push_back(static_cast<float>(weight * factor(k)));
      }
      layer.bias.push_back(static_cast<float>((own[k] - mean[k]) * factor(k) + beta[k]));
    }
    return layer;
  }
};

std::string TextOf(const ChannelLayer& folded) {
  return FoldedNormalizationText({Parts().Normalized(), folded});
}

TEST(FoldedNormalization, OfOneThatIsRightThereIsNothingToSay) {
  EXPECT_EQ(TextOf(Parts().Folded()), "");
}

TEST(FoldedNormalization, RoundingOnTheWayIsNothing) {
  ChannelLayer folded = Parts().Folded();
  for (std::vector<double>& weights : folded.weights) {
    for (double& weight : weights) weight = std::nextafter(static_cast<float>(weight), 100.0F);
  }
  for (double& bias : folded.bias) bias *= 1 + 2e-7;
  EXPECT_EQ(TextOf(folded), "");
}

TEST(FoldedNormalization, AnotherEpsilonOfAllChannels) {
  Parts other;
  for (const auto& [epsilon, text] :
       std::vector<std::pair<double, std::string>>{{1e-3, "epsilon 1e-05 | 0.001"},
                                                   {0.02, "epsilon 1e-05 | 0.02"},
                                                   {0, "epsilon 1e-05 | 0"}}) {
    other.epsilon = epsilon;
    EXPECT_EQ(TextOf(other.Folded()), "the folded BatchNormalization: " + text);
  }
  other.epsilon = 1e-3;
  EXPECT_EQ(FoldedNormalizationText({other.Folded(), Parts().Normalized()}),
            "the folded BatchNormalization: epsilon 0.001 | 1e-05");
}

TEST(FoldedNormalization, ANumberOfOneChannel) {
  Parts other;
  other.scale[3] = 0.7;
  EXPECT_EQ(TextOf(other.Folded()),
            "the folded BatchNormalization: scale of channel 3: 1.4 | 0.7 (or variance 0.3 | 1.2)");
  other = Parts();
  other.variance[1] = 0.2;
  EXPECT_THAT(TextOf(other.Folded()), ContainsRegex(R"(of channel 1: .*or variance 0.05 \| 0.2)"));
  other = Parts();
  other.mean[2] = 0.75;
  EXPECT_THAT(TextOf(other.Folded()), HasSubstr("(or mean 0.25 | 0.75,"));
  other = Parts();
  other.beta[0] = 0.55;
  EXPECT_THAT(TextOf(other.Folded()), HasSubstr("bias (beta) of channel 0: 0.05 | 0.55 (or mean"));
  other = Parts();
  other.own[0] = 0.1;
  EXPECT_THAT(TextOf(other.Folded()), HasSubstr("or the layer's own bias 0.2 | 0.1)"));
  // Of another sign only a scale is.
  other = Parts();
  other.scale[3] = -1.4;
  EXPECT_EQ(TextOf(other.Folded()),
            "the folded BatchNormalization: scale of channel 3: 1.4 | -1.4");
}

TEST(FoldedNormalization, AMistakeOfAllChannels) {
  const Parts parts;
  const auto with_bias = [&](auto&& bias) {
    ChannelLayer folded = parts.Folded();
    for (size_t k = 0; k < folded.bias.size(); ++k) folded.bias[k] = bias(k, parts.factor(k));
    return TextOf(folded);
  };
  EXPECT_EQ(with_bias([&](size_t k, double f) { return parts.beta[k] - parts.mean[k] * f; }),
            "the folded BatchNormalization lacks the layer's own bias");
  EXPECT_EQ(with_bias([&](size_t k, double f) {
              return parts.own[k] + parts.beta[k] - parts.mean[k] * f;
            }),
            "the folded BatchNormalization has the layer's own bias unscaled");
  EXPECT_EQ(with_bias([&](size_t k, double f) {
              return (2 * parts.own[k] - parts.mean[k]) * f + parts.beta[k];
            }),
            "the folded BatchNormalization has the layer's own bias twice");
  EXPECT_EQ(with_bias([&](size_t k, double f) { return (parts.own[k] - parts.mean[k]) * f; }),
            "the folded BatchNormalization lacks its bias (beta)");
  EXPECT_EQ(with_bias([&](size_t k, double) { return parts.own[k]; }),
            "the folded BatchNormalization scales the weights alone, the bias is the layer's own");
  Parts other;
  other.mean = {0, 0, 0, 0};
  EXPECT_EQ(TextOf(other.Folded()), "the folded BatchNormalization lacks its mean");
  other = Parts();
  other.scale = {1, 1, 1, 1};
  EXPECT_EQ(TextOf(other.Folded()), "the folded BatchNormalization lacks its scale");
  other = Parts();
  for (size_t k = 0; k < 4; ++k) other.variance[k] = std::pow(parts.variance[k] + 1e-5, 2) - 1e-5;
  EXPECT_EQ(TextOf(other.Folded()),
            "the folded BatchNormalization lacks the square root of the variance");
}

TEST(FoldedNormalization, WeightsThatHaveAnotherFactorThanTheBias) {
  const Parts parts;
  ChannelLayer folded = parts.Folded();
  folded.weights[2] = parts.weights[2];
  EXPECT_EQ(TextOf(folded),
            "the folded BatchNormalization: the weights of channel 2 are not scaled");
  folded = parts.Folded();
  for (size_t i = 0; i < 5; ++i) {
    folded.weights[0][i] = parts.weights[0][i] * parts.factor(3);
    folded.weights[3][i] = parts.weights[3][i] * parts.factor(0);
  }
  EXPECT_THAT(TextOf(folded), HasSubstr("of channel 0 have the factor of channel 3"));
  folded = parts.Folded();
  folded.weights[1][4] = -folded.weights[1][4];
  EXPECT_THAT(TextOf(folded), HasSubstr("the weights of channel 1 are no multiple of the layer's: "
                                        "1 of 5 differ"));
}

// What has nothing in common with the layer is no folded form of it.
TEST(FoldedNormalization, OtherWeightsAreAnotherLayer) {
  Parts other;
  for (std::vector<double>& weights : other.weights) std::swap(weights[0], weights[3]);
  EXPECT_EQ(TextOf(other.Folded()), "");
}

TEST(FoldedNormalization, SeveralMistakesAtOnceAreNoneOfThem) {
  Parts other;
  other.mean = {1, 2, 3, 4};
  other.scale = {1, 2, 3, 4};
  other.beta[1] = 7;
  ChannelLayer folded = other.Folded();
  for (double& bias : folded.bias) bias += 1;
  EXPECT_EQ(TextOf(folded), "");
}

std::string Floats(const std::vector<double>& numbers) {
  return absl::StrJoin(numbers, ", ", [](std::string* out, double number) {
    absl::StrAppend(out, absl::StrFormat("%.9g", number));
  });
}

std::string FloatsOf(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const std::vector<double>& row : rows) all.insert(all.end(), row.begin(), row.end());
  return Floats(all);
}

// Weights are 4 x 5: channels, what a channel reads.
constexpr char kNormalized[] =
    "p = Gemm <transB = 1> (x, w, b)\n"
    "n = BatchNormalization <epsilon = 0.00001> (p, scale, beta, mean, variance)\n y = Relu (n)";
constexpr char kFolded[] = "q = Gemm <transB = 1> (x, w, b)\n y = Relu (q)";

Comparison ComparedGemms(const ChannelLayer& folded, const std::string& nodes = kFolded) {
  const Parts parts;
  const auto text = [](const std::string& constants, const std::string& nodes) {
    return absl::StrCat("g (float[3,5] x) => (float[3,4] y) <", constants, "> {\n", nodes, "}");
  };
  const auto layer = [](const ChannelLayer& of) {
    return absl::StrCat("float[4,5] w = {", FloatsOf(of.weights), "}, float[4] b = {",
                        Floats(of.bias), "}");
  };
  const std::string norm =
      absl::StrCat(", float[4] scale = {", Floats(parts.scale), "}, float[4] beta = {",
                   Floats(parts.beta), "}, float[4] mean = {", Floats(parts.mean),
                   "}, float[4] variance = {", Floats(parts.variance), "}");
  const Tensor x = Tensor::Of<float>({3, 5}, {0.4F, -1.2F, 0.7F, 2.1F, -0.3F, 1.5F, 0.2F, -0.8F,
                                              0.9F, 0.6F, -0.5F, 1.1F, 0.3F, -1.4F, 0.8F});
  return testing::CompareFedWith(x, text(layer(parts.Normalized()) + norm, kNormalized), x,
                                 text(layer(folded), nodes));
}

TEST(FoldedNormalization, TheCauseSaysIt) {
  Parts other;
  other.epsilon = 0.01;
  const Comparison comparison = ComparedGemms(other.Folded());
  ASSERT_THAT(comparison.causes, Not(IsEmpty()));
  EXPECT_THAT(comparison.causes[0].text,
              HasSubstr("the folded BatchNormalization: epsilon 1e-05 | 0.01"));
  EXPECT_TRUE(IsWrong(comparison.causes[0]));
}

TEST(FoldedNormalization, OfAnHonestOneThereIsNoCause) {
  EXPECT_THAT(ComparedGemms(Parts().Folded()).causes, IsEmpty());
}

// Converters fold in float, so that each number is rounded more than once.
TEST(FoldedNormalization, FoldedInFloatItIsNoMistake) {
  ChannelLayer folded = Parts().Folded();
  for (std::vector<double>& weights : folded.weights) {
    for (double& weight : weights) {
      for (int i = 0; i < 3; ++i) weight = std::nextafter(static_cast<float>(weight), 100.0F);
    }
  }
  EXPECT_THAT(FoldedNormalizationText({Parts().Normalized(), folded}), IsEmpty());
  const Comparison comparison = ComparedGemms(folded);
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  for (const Cause& cause : comparison.causes) EXPECT_FALSE(IsWrong(cause)) << cause.text;
}

TEST(FoldedNormalization, WhereAnotherStandsNoneIsLeftOut) {
  const ChannelLayer plain = [] {
    ChannelLayer layer = Parts().Normalized();
    layer.normalization.reset();
    return layer;
  }();
  const Comparison comparison = ComparedGemms(plain,
                                              "q = Gemm <transB = 1> (x, w, b)\n"
                                              "n = LpNormalization <axis = 1> (q)\n y = Relu (n)");
  ASSERT_THAT(comparison.causes, Not(IsEmpty()));
  EXPECT_THAT(comparison.causes[0].text, Not(HasSubstr("is left out")));
  EXPECT_THAT(ComparedGemms(plain).causes[0].text, HasSubstr("is left out"));
}

}  // namespace
}  // namespace onnxcmp

// Faults in small models: each is named, and nothing that only inherits it.
#include "compare/causes/causes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::GivenX;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kModel[] = R"(g (float[2,4] x) => (float[2,4] y, float[2,4] z)
<float[4,4] w = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                 0.45},
 float[4] scale = {1.1, 0.9, 1.2, 0.8}, float[4] bias = {0.1, -0.2, 0.3, -0.4}> {
  product = MatMul (x, w)
  normal = LayerNormalization <epsilon = 0.00001> (product, scale, bias)
  squashed = Tanh (normal)
  weights = Softmax (squashed)
  rest = Sub (weights, product)
  y = Mul (rest, squashed)
  z = Cos (rest)
})";

Comparison Compared(const std::string& left, const std::string& right,
                    const Tensor& left_x = GivenX(), const Tensor& right_x = GivenX()) {
  return testing::CompareFedWith(left_x, left, right_x, right);
}

std::string Altered(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text = kModel;
  for (const auto& [from, to] : changes) {
    EXPECT_THAT(text, HasSubstr(from));
    text = absl::StrReplaceAll(text, {{from, to}});
  }
  return text;
}

// The only cause.
void ExpectCause(const Comparison& comparison, CauseKind kind, const std::string& left,
                 const std::string& right, const std::string& text) {
  ASSERT_THAT(comparison.causes, SizeIs(1));
  const Cause& cause = comparison.causes[0];
  EXPECT_EQ(CauseKindName(cause.kind), CauseKindName(kind));
  EXPECT_EQ(comparison.left.results[static_cast<size_t>(cause.left)].name, left);
  EXPECT_EQ(comparison.right.results[static_cast<size_t>(cause.right)].name, right);
  EXPECT_THAT(cause.text, HasSubstr(text));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
}

TEST(Causes, OfTheSameModelThereAreNone) {
  EXPECT_THAT(Compared(kModel, kModel).causes, IsEmpty());
}

TEST(Causes, AnInitializerIsNamedAndNotItsReader) {
  const Comparison comparison = Compared(kModel, Altered({{"-0.7, 0.4", "-0.7, 0.42"}}));
  ExpectCause(comparison, CauseKind::kInitializer, "w", "w", "the constants differ by up to 0.02");
}

// A constant that agrees within tolerance has its own distance, not that of the result it spoils.
TEST(Causes, ASmallConstantHasItsOwnDistance) {
  constexpr char kLogarithm[] = R"(g (float[2,4] x) => (float[2,4] y)
  <float small = {1e-9}, float eps = {1e-10}> {
    squares = Mul (x, x)
    power = Mul (squares, small)
    floored = Add (power, eps)
    y = Log (floored)
  })";
  ExpectCause(Compared(kLogarithm, absl::StrReplaceAll(kLogarithm, {{"1e-10", "6e-8"}})),
              CauseKind::kInitializer, "eps", "eps", "the constants differ by up to 6.0e-08");
}

TEST(Causes, AnAttribute) {
  const Comparison comparison = Compared(kModel, Altered({{"0.00001", "0.01"}}));
  ExpectCause(comparison, CauseKind::kOperator, "normal", "normal",
              "attribute epsilon: 1e-05 | 0.01");
}

TEST(Causes, AnOperator) {
  const Comparison comparison = Compared(kModel, Altered({{"Tanh", "Sigmoid"}}));
  ExpectCause(comparison, CauseKind::kOperator, "squashed", "squashed", "operator: Tanh | Sigmoid");
}

TEST(Causes, ExchangedInputs) {
  const Comparison comparison =
      Compared(kModel, Altered({{"Sub (weights, product)", "Sub (product, weights)"}}));
  ExpectCause(comparison, CauseKind::kOperator, "rest", "rest", "inputs in another order");
}

TEST(Causes, AnotherInput) {
  const Comparison comparison =
      Compared(kModel, Altered({{"Softmax (squashed)", "Softmax (normal)"}}));
  ExpectCause(comparison, CauseKind::kOperator, "weights", "weights", "input 0: squashed | normal");
}

TEST(Causes, OtherFeeds) {
  Tensor other = Tensor::Of<float>({2, 4}, {1, -2, 0.5f, 3, -1.5f, 0.25f, 2, -0.5f});
  const Comparison comparison = Compared(kModel, kModel, GivenX(), other);
  ExpectCause(comparison, CauseKind::kInput, "x", "x", "fed other values, by up to 0.25");
}

TEST(Causes, NamesDoNotMatter) {
  const Comparison comparison = Compared(kModel, Altered({{"product", "r1"},
                                                          {"normal", "r2"},
                                                          {"squashed", "r3"},
                                                          {"weights", "r4"},
                                                          {"rest", "r5"},
                                                          {"0.00001", "0.01"}}));
  ExpectCause(comparison, CauseKind::kOperator, "normal", "r2", "epsilon: 1e-05 | 0.01");
}

TEST(Causes, AFaultInsideAFusionIsNamedAsItsRegion) {
  // The right multiplies in another way, and with a wrong factor.
  const Comparison comparison =
      Compared(kModel, Altered({{"product = MatMul (x, w)",
                                 "half = Constant <value_float = 0.51> ()\n"
                                 "two = Constant <value_float = 2.0> ()\n"
                                 "less = Mul (x, half)\n"
                                 "more = Mul (w, two)\n"
                                 "product = MatMul (less, more)"}}));
  ExpectCause(comparison, CauseKind::kOperator, "product", "product",
              "on the left's own inputs the right differs");
}

TEST(Causes, RoundingIsNone) {
  const Comparison comparison = Compared(kModel, Altered({{"squashed = Tanh (normal)",
                                                           "two = Constant <value_float = 2.0> ()\n"
                                                           "one = Constant <value_float = 1.0> ()\n"
                                                           "twice = Mul (normal, two)\n"
                                                           "sigmoid = Sigmoid (twice)\n"
                                                           "double = Mul (sigmoid, two)\n"
                                                           "squashed = Sub (double, one)"}}));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

TEST(Causes, AConstantWithMoreAxesIsNamedAndNotItsReader) {
  const Comparison comparison = Compared(Altered({{"rest = Sub (weights, product)",
                                                   "half = Constant <value_float = 0.5> ()\n"
                                                   "more = Mul (weights, half)\n"
                                                   "rest = Sub (more, product)"}}),
                                         Altered({{"rest = Sub (weights, product)",
                                                   "half = Constant <value = float[1] {-0.5}> ()\n"
                                                   "more = Mul (weights, half)\n"
                                                   "rest = Sub (more, product)"}}));
  ExpectCause(comparison, CauseKind::kInitializer, "half", "half",
              "the constants differ by up to 1");
}

TEST(Causes, AShapeInPlaceOfATransposition) {
  const Comparison comparison = Compared(Altered({{"rest = Sub (weights, product)",
                                                   "straight = Sub (weights, product)\n"
                                                   "shape = Constant <value_ints = [4, 2]> ()\n"
                                                   "turned = Transpose <perm = [1, 0]> (straight)\n"
                                                   "rest = Transpose <perm = [1, 0]> (turned)"}}),
                                         Altered({{"rest = Sub (weights, product)",
                                                   "straight = Sub (weights, product)\n"
                                                   "shape = Constant <value_ints = [4, 2]> ()\n"
                                                   "turned = Reshape (straight, shape)\n"
                                                   "rest = Transpose <perm = [1, 0]> (turned)"}}));
  ExpectCause(comparison, CauseKind::kOperator, "turned", "turned", "Transpose | Reshape");
}

TEST(Causes, AnOutputThatIsWhatTheLastNodeReads) {
  const Comparison comparison =
      Compared(kModel, Altered({{"y = Mul (rest, squashed)", "y = Identity (rest)"}}));
  ExpectCause(comparison, CauseKind::kOperator, "y", "y", "operator: Mul | Identity");
}

TEST(Causes, ACastToIntegersAndBack) {
  const Comparison comparison = Compared(kModel, Altered({{"squashed = Tanh (normal)",
                                                           "float = Tanh (normal)\n"
                                                           "whole = Cast <to = 6> (float)\n"
                                                           "squashed = Cast <to = 1> (whole)"}}));
  ExpectCause(comparison, CauseKind::kOperator, "squashed", "squashed", "Tanh | Cast");
}

TEST(Causes, AConstantRoundedInAModelOfHalfPrecisionIsNone) {
  const auto model = [](const std::string& type, const std::string& number) {
    return "g (float[2,4] x) => (float[2,4] y) {\n"
           "  small = Cast <to = " +
           type +
           "> (x)\n"
           "  squashed = Tanh (small)\n"
           "  wide = Cast <to = 1> (squashed)\n"
           "  epsilon = Constant <value_float = " +
           number +
           "> ()\n"
           "  square = Mul (wide, wide)\n"
           "  sum = Add (square, epsilon)\n"
           "  y = Sqrt (sum)\n}";
  };
  // 1e-5 as a float16.
  EXPECT_THAT(Compared(model("1", "0.00001"), model("10", "0.000010013580322265625")).causes,
              IsEmpty());
  // Without computing in that type there is no reason to.
  EXPECT_THAT(Compared(model("1", "0.00001"), model("1", "0.000010013580322265625")).causes,
              SizeIs(1));
}

TEST(Causes, WhatARepairPairedIsARow) {
  const std::string from = "rest = Sub (weights, product)";
  const auto with = [&](const std::string& half) {
    return Altered({{from, "half = Constant <value_float = " + half +
                               "> ()\n"
                               "more = Mul (weights, half)\n"
                               "rest = Sub (more, product)"}});
  };
  const Comparison comparison = Compared(with("0.5"), with("-3.25"));
  ExpectCause(comparison, CauseKind::kInitializer, "half", "half", "differ by up to 3.75");
  int rows = 0;
  for (const ComparedRow& row : comparison.rows) {
    EXPECT_TRUE(row.aligned.paired());
    if (!Has(row.aligned.marks, Mark::kRepaired)) continue;
    ++rows;
    EXPECT_EQ(comparison.left.results[static_cast<size_t>(row.aligned.left.back())].name, "half");
    EXPECT_EQ(comparison.right.results[static_cast<size_t>(row.aligned.right.back())].name, "half");
    EXPECT_EQ(row.relation, Relation::kDifferent);
    ASSERT_NE(row.difference, nullptr);
    EXPECT_DOUBLE_EQ(row.difference->values.max_absolute, 3.75);
  }
  EXPECT_LE(rows, 1);
}

// Names of the causes on the right, in their order.
std::vector<std::string> NamesOf(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Cause& cause : comparison.causes) {
    names.push_back(comparison.right.results[static_cast<size_t>(cause.right)].name);
  }
  return names;
}

TEST(Causes, TwoFaultsAreTwoCauses) {
  const Comparison comparison =
      Compared(kModel, Altered({{"0.00001", "0.01"}, {"-0.7, 0.4", "-0.7, 0.42"}}));
  EXPECT_THAT(NamesOf(comparison), UnorderedElementsAre("w", "normal"));
}

TEST(Causes, FaultsInSeries) {
  const Comparison comparison =
      Compared(kModel, Altered({{"-0.7, 0.4", "-0.7, 0.42"},
                                {"0.00001", "0.01"},
                                {"Tanh", "Sigmoid"},
                                {"Sub (weights, product)", "Sub (product, weights)"}}));
  EXPECT_THAT(NamesOf(comparison), UnorderedElementsAre("w", "normal", "squashed", "rest"));
}

TEST(Causes, FaultsSideBySide) {
  const Comparison comparison =
      Compared(kModel, Altered({{"z = Cos (rest)", "z = Sin (rest)"},
                                {"y = Mul (rest, squashed)", "y = Div (rest, squashed)"}}));
  EXPECT_THAT(NamesOf(comparison), UnorderedElementsAre("y", "z"));
  for (const Cause& cause : comparison.causes) EXPECT_GT(cause.effect.value_or(0), 0.01);
}

TEST(Causes, AFaultInsideAnOptimizersFusionIsNamedAsItsRegion) {
  const std::string added =
      "sum = Add (product, x)\n"
      "normal = LayerNormalization <epsilon = 0.00001> (sum, scale, bias)";
  const std::string from = "normal = LayerNormalization <epsilon = 0.00001> (product, scale, bias)";
  const std::string fused =
      "normal = com.microsoft.SkipLayerNormalization <epsilon = 0.01> (product, x, scale, bias)";
  const auto graph = [](std::string text) { return text.substr(text.find('(')); };
  const auto comparison = testing::CompareGraphs(
      graph(Altered({{from, added}})), graph(Altered({{from, fused}})), {{"x", GivenX()}});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ExpectCause(*comparison, CauseKind::kOperator, "normal", "normal",
              "LayerNormalization | SkipLayerNormalization");
}

}  // namespace
}  // namespace onnxcmp

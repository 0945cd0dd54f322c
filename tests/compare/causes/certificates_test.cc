// What mending a cause makes of the outputs.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "compare/causes/cause.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr char kModel[] = R"(g (float[2,4] x) => (float[2,4] y, float[2,4] z)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}, float[4] bias = {0.1, -0.2, 0.3, -0.4}> {
  scaled = Mul (x, scale)
  shifted = Add (x, bias)
  narrow = Tanh (scaled)
  y = Mul (narrow, shifted)
  z = Softmax (shifted)
})";

Comparison Altered(const std::vector<std::pair<std::string, std::string>>& changes,
                   const std::string& model = kModel) {
  std::string text = model;
  for (const auto& [from, to] : changes) text = absl::StrReplaceAll(text, {{from, to}});
  EXPECT_NE(text, model);
  return testing::CompareFedWith(testing::GivenX(), model, testing::GivenX(), text);
}

// The name of each cause, and its certificate.
std::vector<std::pair<std::string, std::string>> CertificatesOf(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> certificates;
  for (const Cause& cause : comparison.causes) {
    certificates.emplace_back(comparison.right.results[static_cast<size_t>(cause.right)].name,
                              CertificateText(cause));
  }
  return certificates;
}

TEST(Certificates, OneCauseIsProvedByTheOutputsThatAgreeWithoutIt) {
  const Comparison comparison = Altered({{"Tanh", "Sigmoid"}});
  EXPECT_THAT(CertificatesOf(comparison),
              ElementsAre(Pair("narrow", "mending it makes the outputs agree")));
  const Mending& mending = comparison.causes[0].mending.value();
  EXPECT_TRUE(mending.verified());
  EXPECT_GT(mending.before, 0.1);
  EXPECT_EQ(mending.after, 0);
  EXPECT_EQ(mending.gain(), mending.before);
}

TEST(Certificates, OfTwoCausesEachIsProvedWithTheOtherCorrected) {
  const Comparison comparison = Altered({{"0.9, 1.2", "0.9, 1.5"}, {"-0.2, 0.3", "-0.2, 0.5"}});
  const std::string agree = "with the others mended, mending it makes the outputs agree";
  EXPECT_THAT(CertificatesOf(comparison),
              UnorderedElementsAre(Pair("scale", agree), Pair("bias", agree)));
  for (const Cause& cause : comparison.causes) EXPECT_EQ(cause.effect, cause.mending->before);
}

// The left's value of the second hides what the first does.
TEST(Certificates, ACauseBehindWhichAllPassesThroughAnotherIsSuspected) {
  const Comparison comparison = Altered({{"0.9, 1.2", "0.9, 1.5"}, {"Tanh", "Sigmoid"}});
  EXPECT_THAT(
      CertificatesOf(comparison),
      ElementsAre(Pair("narrow", "with the others mended, mending it makes the outputs agree"),
                  Pair("scale",
                       "suspected: it cannot be tried, because all that it leads "
                       "to passes through other causes")));
}

// With the left's gate the road of the shift is shut.
TEST(Certificates, WhatGainsNothingIsNoCause) {
  constexpr char kGated[] = R"(g (float[2,4] x) => (float[2,4] y)
  <float gate = {0}, float[4] shift = {0.5, 0.25, 0.75, -0.5}> {
    shifted = Add (x, shift)
    wide = Exp (shifted)
    let_through = Mul (wide, gate)
    y = Add (x, let_through)
  })";
  const Comparison comparison =
      Altered({{"gate = {0}", "gate = {1}"}, {"0.75, -0.5", "0.95, -0.5"}}, kGated);
  EXPECT_THAT(
      CertificatesOf(comparison),
      ElementsAre(Pair("gate", "with the others mended, mending it makes the outputs agree")));
  ASSERT_EQ(comparison.dismissed.size(), 1U);
  EXPECT_EQ(comparison.dismissed[0].veto, Veto::kNoGain);
  EXPECT_EQ(comparison.right.results[Index(comparison.dismissed[0].cause.right)].name, "shift");
  int different = 0;
  for (const ComparedRow& row : comparison.rows) {
    if (row.relation == Relation::kDifferent) ++different;
  }
  EXPECT_GE(different, 4);
}

TEST(Certificates, OutputsThatAgreeHaveNone) {
  const Comparison comparison = Altered({{"-0.2, 0.3", "-0.2, 0.3000001"}});
  ASSERT_EQ(comparison.verdict(), Verdict::kClose);
  for (const Cause& cause : comparison.causes) EXPECT_EQ(CertificateText(cause), "");
}

TEST(Certificates, Words) {
  Cause cause;
  EXPECT_EQ(CertificateText(cause), "");
  cause.mending = Mending{.before = 3.1, .after = 0.002};
  EXPECT_EQ(CertificateText(cause), "mending it shrinks the difference from 3.1 to 0.002");
  EXPECT_FALSE(cause.mending->verified());
  cause.mending->after = 3.2;
  EXPECT_EQ(CertificateText(cause), "mending it alone gains nothing");
  cause.mending = Mending{.before = 3.1, .after = 0.002, .agreed = true, .agree = true};
  EXPECT_EQ(CertificateText(cause), "the outputs agree without mending it");
  EXPECT_FALSE(cause.mending->verified());
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ((Mending{.before = kInfinite, .after = 1}).gain(), kInfinite);
  EXPECT_EQ((Mending{.before = kInfinite, .after = kInfinite}).gain(), 0);
}

}  // namespace
}  // namespace onnxcmp

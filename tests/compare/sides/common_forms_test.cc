// Results that stand for the same numbers in another integer type or another layout are the same
// result, and what goes wrong beside them is found where it is.
#include "compare/sides/common_forms.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/causes/cause_class.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A dense layer between two Q/DQ pairs.
std::string DenseLayer(const std::string& type, int zero_point) {
  return absl::StrReplaceAll(R"((float[2,4] x) => (float[2,2] y)
      <float s = {0.02}, float t = {0.03}, float u = {0.01}, TYPE zs = {ZERO}, TYPE zt = {ZERO},
       int8[4,2] w = {10, -20, 30, 40, -50, 60, 70, -80}> {
    q = QuantizeLinear (x, s, zs)
    f = DequantizeLinear (q, s, zs)
    d = DequantizeLinear (w, u)
    m = MatMul (f, d)
    r = Relu (m)
    p = QuantizeLinear (r, t, zt)
    y = DequantizeLinear (p, t, zt)
  })",
                             {{"TYPE", type}, {"ZERO", absl::StrCat(zero_point)}});
}

std::vector<Cause> WrongOnes(const Comparison& comparison) {
  std::vector<Cause> wrong;
  for (const Cause& cause : comparison.causes) {
    if (IsWrong(cause)) wrong.push_back(cause);
  }
  return wrong;
}

TEST(CommonForms, BytesOfBothSignsAreTheSame) {
  for (const bool exchanged : {false, true}) {
    const std::string left = DenseLayer("int8", -8);
    const std::string right = DenseLayer("uint8", 120);
    const auto comparison = exchanged ? testing::CompareGraphs(right, left, testing::GivenFeeds())
                                      : testing::CompareGraphs(left, right, testing::GivenFeeds());
    ASSERT_TRUE(comparison.ok()) << comparison.status();
    EXPECT_EQ(comparison->verdict(), Verdict::kSame);
    EXPECT_THAT(comparison->causes, IsEmpty());
    for (const ComparedRow& row : comparison->rows) EXPECT_EQ(row.relation, Relation::kSame);
    EXPECT_THAT(testing::ResultTexts(*comparison), ::testing::Contains(HasSubstr("cast")));
  }
}

// The statistics that are shown are those of the integers themselves.
TEST(CommonForms, StatisticsStayTheOwn) {
  const auto comparison = testing::CompareGraphs(DenseLayer("int8", -8), DenseLayer("uint8", 120),
                                                 testing::GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  for (const StreamResult& result : comparison->left.results) {
    if (result.name != "zs") continue;
    EXPECT_EQ(result.fingerprint.numbers().statistics.min, -8);
  }
}

TEST(CommonForms, AnotherZeroPointIsStillFound) {
  const std::string wrong = absl::StrReplaceAll(
      DenseLayer("uint8", 120), {{"DequantizeLinear (q, s, zs)", "DequantizeLinear (q, s, zo)"},
                                 {"uint8 zs", "uint8 zo = {140}, uint8 zs"}});
  const auto comparison =
      testing::CompareGraphs(DenseLayer("int8", -8), wrong, testing::GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const std::vector<Cause> wrong_ones = WrongOnes(*comparison);
  ASSERT_THAT(wrong_ones, ::testing::Not(IsEmpty()));
  EXPECT_THAT(comparison->right.results[Index(wrong_ones[0].right)].name,
              ::testing::AnyOf("zo", "f"));
}

TEST(CommonForms, AFaultBesideOtherTypesIsNamed) {
  const std::string wrong_scale =
      absl::StrReplaceAll(DenseLayer("uint8", 120), {{"float u = {0.01}", "float u = {0.012}"}});
  CompareOptions options;
  options.repro = true;
  const auto comparison =
      testing::CompareGraphs(DenseLayer("int8", -8), wrong_scale, testing::GivenFeeds(), options);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const std::vector<Cause> wrong = WrongOnes(*comparison);
  ASSERT_THAT(wrong, SizeIs(1));
  EXPECT_EQ(comparison->right.results[Index(wrong[0].right)].name, "u");
  EXPECT_NE(wrong[0].repro, nullptr) << wrong[0].no_repro;
}

TEST(CommonForms, PoolsWithTheChannelsLast) {
  const std::string head =
      "(float[2,4] x) => (float[1,2,1,2] y) <float s = {0.02}, uint8 z = {120}, "
      "int64[4] shape = {1, 2, 2, 2}> { v = Reshape (x, shape) q = QuantizeLinear (v, s, z) ";
  const std::string first = absl::StrCat(
      head, "p = MaxPool <kernel_shape = [2, 1]> (q) y = DequantizeLinear (p, s, z) }");
  const std::string last =
      absl::StrCat(head,
                   "t = Transpose <perm = [0, 2, 3, 1]> (q) "
                   "p = com.microsoft.NhwcMaxPool <kernel_shape = [2, 1]> (t) "
                   "b = Transpose <perm = [0, 3, 1, 2]> (p) y = DequantizeLinear (b, s, z) }");
  const auto comparison = testing::CompareGraphs(first, last, testing::GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kSame);
  EXPECT_THAT(comparison->causes, IsEmpty());
  EXPECT_THAT(testing::ResultTexts(*comparison),
              ::testing::Contains(AllOf(HasSubstr("same"), HasSubstr("NhwcMaxPool"))));
}

// Rounded to grids of 0.04 and of 0.06, in the same type: half a step of each apart.
TEST(CommonForms, IntegersOfOtherScalesAreComparedByWhatTheyStandFor) {
  const std::string text = R"((float[2,4] x) => (float[2,4] y) <float s = {0.04}, int8 z = {0}> {
    q = QuantizeLinear (x, s, z)
    y = DequantizeLinear (q, s, z)
  })";
  CompareOptions options;
  options.pairs = {"q=q"};
  const auto comparison = testing::CompareGraphs(
      text, absl::StrReplaceAll(text, {{"{0.04}", "{0.06}"}}), testing::GivenFeeds(), options);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  bool seen = false;
  for (const ComparedRow& row : comparison->rows) {
    if (!row.aligned.paired() || row.difference == nullptr) continue;
    if (comparison->left.results[Index(row.aligned.left.back())].name != "q") continue;
    seen = true;
    EXPECT_GT(row.difference->values.max_absolute, 0);
    EXPECT_LE(row.difference->values.max_absolute, 0.0501);
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace onnxcmp

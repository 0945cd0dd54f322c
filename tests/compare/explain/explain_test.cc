// One pair of results in depth.
#include "compare/explain/explain.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "reports/render_json.h"
#include "reports/render_table.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using testing::CompareGraphs;
using testing::GivenFeeds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kLeft[] = R"((float[2,4] x) => (float[2,4] y)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
  moved = Tanh (x)
  normal = LayerNormalization <epsilon = 0.00001, axis = -1> (moved, scale)
  squashed = Sigmoid (normal)
  y = Mul (squashed, normal)
})";

// Another epsilon, and an axis that says what the default is.
constexpr char kRight[] = R"((float[2,4] x) => (float[2,4] y)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
  moved = Tanh (x)
  r2 = LayerNormalization <epsilon = 0.01> (moved, scale)
  r3 = Sigmoid (r2)
  y = Mul (r3, r2)
})";

absl::StatusOr<Comparison> Explained(const std::string& left, const std::string& right,
                                     const std::string& name) {
  CompareOptions options;
  options.explain = name;
  return CompareGraphs(left, right, GivenFeeds(), options);
}

TEST(ExplainTest, WhereItBegins) {
  const auto comparison = Explained(kLeft, kRight, "normal");
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ASSERT_TRUE(comparison->explanation.has_value());
  const Explanation& explanation = *comparison->explanation;
  ASSERT_THAT(explanation.attributes, SizeIs(2));
  EXPECT_EQ(explanation.attributes[1].name, "epsilon");
  EXPECT_EQ(explanation.attributes[1].left, "1e-05");
  EXPECT_EQ(explanation.attributes[1].right, "0.01");
  EXPECT_TRUE(explanation.attributes[1].differs);
  ASSERT_THAT(explanation.inputs, SizeIs(2));
  EXPECT_TRUE(explanation.inputs[0].same_bits);
  ASSERT_TRUE(explanation.own.has_value() && explanation.difference.has_value());
  EXPECT_EQ(*explanation.own, explanation.difference->values.max_absolute);
  EXPECT_EQ(*explanation.inherited, 0);
  ASSERT_THAT(explanation.worst, SizeIs(8));
  EXPECT_EQ(explanation.worst[0].absolute, explanation.difference->values.max_absolute);
  int64_t counted = explanation.equal + explanation.not_finite;
  for (const DecadeCount& decade : explanation.decades) counted += decade.elements;
  EXPECT_EQ(counted, 8);
  ASSERT_TRUE(explanation.left_truth.has_value());
  EXPECT_LT(explanation.left_truth->max_absolute, 1e-6);
  EXPECT_GT(explanation.right_truth->max_absolute, 1e-3);
  testing::ExpectGolden("table/explain.txt", RenderTable(*comparison));
  testing::ExpectGolden("table/explain_ascii.txt",
                        RenderTable(*comparison, {.width = 80, .ascii = true}));
}

TEST(ExplainTest, WhatIsInherited) {
  // By the name on the right.
  const auto comparison = Explained(kLeft, kRight, "r3");
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const Explanation& explanation = *comparison->explanation;
  EXPECT_EQ(*explanation.own, 0);
  EXPECT_GT(*explanation.inherited, 1e-3);
  EXPECT_THAT(explanation.left_readers, SizeIs(1));
}

TEST(ExplainTest, TheSameBitsAndNoPartner) {
  const auto same = Explained(kLeft, kRight, "moved");
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_FALSE(same->explanation->difference.has_value());
  EXPECT_EQ(same->explanation->equal, 8);
  EXPECT_THAT(RenderTable(*same), HasSubstr("difference none: the same bits"));
  const std::string alone = R"((float[2,4] x) => (float[2,4] y, int64[2] n)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
  moved = Tanh (x) n = Shape (x)
  r2 = LayerNormalization <epsilon = 0.01> (moved, scale)
  r3 = Sigmoid (r2)
  y = Mul (r3, r2)
})";
  const auto one = Explained(kLeft, alone, "n");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->explanation->left, kNone);
  EXPECT_THAT(RenderTable(*one), HasSubstr("there is nothing to compare with"));
}

// Its weights are no others than the left's: they are of another operator.
TEST(ExplainTest, ALayerWithAFoldedNormalizationKeepsItsConstants) {
  const std::string left = R"((float[2,4] x) => (float[2,2] y)
<float[2,4] w = {0.5, -0.25, 0.75, 1.5, -0.6, 0.3, 0.9, -1.1}, float[2] b = {0.5, -1},
 float[2] scale = {2, 0.5}, float[2] beta = {0.25, 1}, float[2] mean = {0.5, 0.5},
 float[2] variance = {0.25, 1}> {
  layer = Gemm <transB = 1> (x, w, b)
  normal = BatchNormalization <epsilon = 0.0> (layer, scale, beta, mean, variance)
  y = Tanh (normal)
})";
  // The second channel has another scale.
  const std::string right = R"((float[2,4] x) => (float[2,2] y)
<float[2,4] w = {2, -1, 3, 6, -0.6, 0.3, 0.9, -1.1}, float[2] b = {0.25, -0.5}> {
  normal = Gemm <transB = 1> (x, w, b)
  y = Tanh (normal)
})";
  const auto comparison = Explained(left, right, "normal");
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const Explanation& explanation = *comparison->explanation;
  ASSERT_TRUE(explanation.own.has_value() && explanation.difference.has_value());
  EXPECT_EQ(*explanation.own, explanation.difference->values.max_absolute);
  EXPECT_EQ(*explanation.inherited, 0);
}

TEST(ExplainTest, RowsByNameAndNumber) {
  const auto comparison = CompareGraphs(kLeft, kRight, GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const ComparedSides compared = {comparison->left, comparison->right, comparison->alignment,
                                  comparison->rows};
  const auto named = FindRow(compared, "y");
  ASSERT_TRUE(named.ok()) << named.status();
  // The node's result, not the output that shows it.
  const int left = comparison->rows[*named].aligned.left.back();
  EXPECT_EQ(comparison->left.results[static_cast<size_t>(left)].kind, ResultKind::kResult);
  EXPECT_EQ(*FindRow(compared, "1"), 1u);
  EXPECT_FALSE(FindRow(compared, "99").ok());
  EXPECT_FALSE(FindRow(compared, "-1").ok());
  EXPECT_EQ(Explained(kLeft, kRight, "nothing").status().code(), absl::StatusCode::kNotFound);
}

TEST(ExplainTest, AFindingThatIsNoCauseSaysWhy) {
  const std::string model = R"((float[6] x) => (float[a,b] z, float[6] w) <int64[2] s = {2, 3},
    float one = {1}> { t = Tanh (x) w = Add (t, one) z = Reshape (x, s) })";
  const std::string fails = absl::StrReplaceAll(model, {{"{2, 3}", "{2, 4}"}, {"{1}", "{2}"}});
  const auto comparison =
      CompareGraphs(model, fails, {{"x", Tensor::Of<float>({6}, {1, 2, 3, 4, 5, 6})}}, [] {
        CompareOptions options;
        options.explain = "one";
        return options;
      }());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_THAT(RenderTable(*comparison, {.width = 200}),
              HasSubstr("no cause   the node that fails does not depend on it; found: "));
  const auto json = nlohmann::json::parse(RenderJson(*comparison));
  EXPECT_EQ(json["dismissed"][0]["veto"], "beside_failure");
  EXPECT_EQ(json["dismissed"][0]["right_name"], "one");
}

TEST(ExplainTest, Json) {
  const auto comparison = Explained(kLeft, kRight, "normal");
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const auto json = nlohmann::json::parse(RenderJson(*comparison));
  EXPECT_THAT(testing::SchemaErrors(json, testing::ComparisonSchema()), IsEmpty());
  EXPECT_EQ(json["explanation"]["attributes"][1]["differs"], true);
}

// The claim that paired the row is told with its rule, and the claims that it beat.
TEST(ExplainTest, ClaimsOnTheRow) {
  const auto comparison = Explained(kLeft, kRight, "normal");
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const std::vector<Claim>& claims = comparison->explanation->claims;
  ASSERT_FALSE(claims.empty());
  const auto paired = std::find_if(claims.begin(), claims.end(), [](const Claim& claim) {
    return claim.outcome == ClaimOutcome::kPaired;
  });
  ASSERT_NE(paired, claims.end());
  EXPECT_EQ(paired->left, comparison->explanation->left);
  EXPECT_EQ(paired->right, comparison->explanation->right);
  EXPECT_EQ(RowOfRule(paired->rule).name, "near");
  EXPECT_GE(paired->points, RowOfRule(paired->rule).points);
  for (size_t i = 1; i < claims.size(); ++i) EXPECT_GE(claims[i - 1].points, claims[i].points);
  EXPECT_THAT(RenderTable(*comparison), HasSubstr("claims     near ("));
}

// A result without a partner says which claims came to nothing.
TEST(ExplainTest, ClaimsOnAResultWithoutAPartner) {
  constexpr char kMore[] = R"((float[2,4] x) => (float[2,4] y)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
  moved = Tanh (x)
  normal = LayerNormalization <epsilon = 0.00001, axis = -1> (moved, scale)
  extra = Softmax (normal)
  squashed = Sigmoid (normal)
  sum = Mul (squashed, normal)
  y = Add (sum, extra)
})";
  const auto comparison = Explained(kMore, kLeft, "extra");
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->explanation->right, kNone);
  for (const Claim& claim : comparison->explanation->claims) {
    EXPECT_EQ(claim.left, comparison->explanation->left);
    EXPECT_NE(claim.outcome, ClaimOutcome::kPaired);
  }
}

}  // namespace
}  // namespace onnxcmp

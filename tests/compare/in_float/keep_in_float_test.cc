// Where a conversion makes the outputs differ, the nodes to keep in float are listed; they are not
// where it does no harm, and not where something else is wrong.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "reports/render_json.h"
#include "reports/render_markdown.h"
#include "reports/render_table.h"
#include "reports/words/keep_in_float_text.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Comparison ComparedOn(const std::string& left, const std::string& right, const Tensor& x,
                      CompareOptions options = {}) {
  options.threads = 1;
  auto comparison = testing::CompareGraphs(left, right, {{"x", x}}, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

std::vector<std::string> NodesOf(const Comparison& comparison) {
  std::vector<std::string> names;
  if (!comparison.keep_in_float.has_value()) return names;
  for (const KeptNode& node : comparison.keep_in_float->nodes) names.push_back(node.name);
  return names;
}

// A normalization without a mean. Squares of what is above 255 overflow float16, and so does their
// mean here; its root does not.
constexpr char kNormalized[] =
    R"((float[2,4] x) => (float[2,4] y) <float[4] gain = {1, 2, 0.5, 1}> {
    [wide] g = Mul (x, gain)
    [square] p = Mul (g, g) [mean] m = ReduceMean <keepdims = 1> (p) [root] s = Sqrt (m)
    [divide] d = Div (g, s) [bend] y = Tanh (d) })";
constexpr char kNormalizedHalf[] = R"((float[2,4] x) => (float[2,4] y)
  <float[4] gain_f = {1, 2, 0.5, 1}> {
    x_h = Cast <to = 10> (x) gain = Cast <to = 10> (gain_f)
    [wide] g = Mul (x_h, gain)
    [square] p = Mul (g, g) [mean] m = ReduceMean <keepdims = 1> (p) [root] s = Sqrt (m)
    [divide] d = Div (g, s) [bend] y_h = Tanh (d) y = Cast <to = 1> (y_h) })";

Tensor XUpTo(float most) {
  std::vector<float> x = {0.9F, -0.4F, 0.7F, 1, -0.6F, 0.5F, 0.8F, -1};
  for (float& element : x) element *= most;
  return Tensor::Of<float>({2, 4}, x);
}

TEST(KeepInFloat, WhatOverflowsUntilItFitsAgain) {
  const Comparison comparison = ComparedOn(kNormalized, kNormalizedHalf, XUpTo(600));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(NodesOf(comparison), ElementsAre("square", "mean", "root"));
  ASSERT_TRUE(comparison.keep_in_float.has_value());
  EXPECT_EQ(comparison.keep_in_float->between, BetweenKept::kOneReader);
  EXPECT_FALSE(comparison.keep_in_float->cut_short);
  EXPECT_LT(comparison.keep_in_float->after, 2e-3);
}

TEST(KeepInFloat, NoneWhereTheTypeDoesNoHarm) {
  const Comparison comparison = ComparedOn(kNormalized, kNormalizedHalf, XUpTo(3));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_FALSE(comparison.keep_in_float.has_value());
}

TEST(KeepInFloat, AFaultIsTheAnswer) {
  const std::string wrong = absl::StrReplaceAll(kNormalizedHalf, {{"0.5, 1}", "0.5, 1.4}"}});
  for (const float most : {3.0F, 600.0F}) {
    const Comparison comparison = ComparedOn(kNormalized, wrong, XUpTo(most));
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent) << most;
    EXPECT_FALSE(comparison.keep_in_float.has_value()) << most;
  }
  const std::string other =
      absl::StrReplaceAll(kNormalizedHalf, {{"y_h = Tanh (d)", "y_h = Sigmoid (d)"}});
  EXPECT_FALSE(ComparedOn(kNormalized, other, XUpTo(600)).keep_in_float.has_value());
}

// What is added is large, and goes again: float16 has few digits left of what varies.
constexpr char kCentred[] = R"((float[2,4] x) => (float[2,4] y) <float far = {900}> {
    [add] a = Add (x, far) [mean] m = ReduceMean <keepdims = 1> (a)
    [centre] c = Sub (a, m) [bend] y = Tanh (c) })";
constexpr char kCentredHalf[] = R"((float[2,4] x) => (float[2,4] y) <float far_f = {900}> {
    x_h = Cast <to = 10> (x) far = Cast <to = 10> (far_f)
    [add] a = Add (x_h, far) [mean] m = ReduceMean <keepdims = 1> (a)
    [centre] c = Sub (a, m) [bend] y_h = Tanh (c) y = Cast <to = 1> (y_h) })";

TEST(KeepInFloat, WhatLosesDigitsOnItsWayToTwoReaders) {
  const Comparison comparison = ComparedOn(kCentred, kCentredHalf, XUpTo(1));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(NodesOf(comparison), ElementsAre("add", "mean", "centre"));
  ASSERT_TRUE(comparison.keep_in_float.has_value());
  EXPECT_EQ(comparison.keep_in_float->between, BetweenKept::kExact);
}

TEST(KeepInFloat, ANodeWithoutANameIsToldByItsResult) {
  const std::string left = absl::StrReplaceAll(kNormalized, {{"[mean] ", ""}});
  const std::string right = absl::StrReplaceAll(kNormalizedHalf, {{"[mean] ", ""}});
  const Comparison comparison = ComparedOn(left, right, XUpTo(600));
  EXPECT_THAT(NodesOf(comparison), ElementsAre("square", "", "root"));
  EXPECT_THAT(RenderTable(comparison, {}),
              HasSubstr("in float node_block_list=[\"square\", \"root\"]"));
  EXPECT_THAT(KeepInFloatText(comparison),
              Contains("what makes \"m\" belongs to it and has no name: give it one"));
  EXPECT_THAT(RenderJson(comparison), HasSubstr("\"without_name\":[\"m\"]"));
}

// One wide number takes all steps of the grid that the first product reads.
constexpr char kProducts[] = R"((float[1,4] x) => (float[1,2] y)
  <float[4,2] a = {0, 0, 0.5, -0.25, 0.75, 1, -1, 0.5}, float[2,2] b = {0.5, 1, -1, 0.25}> {
    [first] h = MatMul (x, a) [bend] t = Tanh (h) [second] y = MatMul (t, b) })";
constexpr char kProductsQuantized[] = R"((float[1,4] x) => (float[1,2] y)
  <float[4,2] a_f = {0, 0, 0.5, -0.25, 0.75, 1, -1, 0.5}, float[2,2] b_f = {0.5, 1, -1, 0.25},
   float x_s = {8}, float h_s = {0.02}, float t_s = {0.0078740157}, float a_s = {0.0078740157},
   float b_s = {0.0078740157}, int8 z = {0}> {
    a_q = QuantizeLinear (a_f, a_s, z) a_d = DequantizeLinear (a_q, a_s, z)
    b_q = QuantizeLinear (b_f, b_s, z) b_d = DequantizeLinear (b_q, b_s, z)
    x_q = QuantizeLinear (x, x_s, z) x_d = DequantizeLinear (x_q, x_s, z)
    [first] h = MatMul (x_d, a_d)
    [bend] t = Tanh (h)
    t_q = QuantizeLinear (t, t_s, z) t_d = DequantizeLinear (t_q, t_s, z)
    [second] y = MatMul (t_d, b_d) })";

TEST(KeepInFloat, ALayerWhoseGridIsTooWide) {
  const Comparison comparison = ComparedOn(kProducts, kProductsQuantized,
                                           Tensor::Of<float>({1, 4}, {1000, 0.9F, -0.7F, 0.8F}));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(NodesOf(comparison), ElementsAre("first"));
  EXPECT_THAT(RenderTable(comparison, {}), HasSubstr("nodes_to_exclude=[\"first\"]"));
}

TEST(KeepInFloat, NoneWhereTheGridsFit) {
  const std::string fits = absl::StrReplaceAll(kProductsQuantized, {{"x_s = {8}", "x_s = {0.01}"}});
  const Comparison comparison =
      ComparedOn(kProducts, fits, Tensor::Of<float>({1, 4}, {1, 0.9F, -0.7F, 0.8F}));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_FALSE(comparison.keep_in_float.has_value());
}

// Nothing is wrong, and the noise of integers is more than the user wants.
TEST(KeepInFloat, NodesThatBringMostOfTheNoise) {
  const std::string fits = absl::StrReplaceAll(kProductsQuantized, {{"x_s = {8}", "x_s = {0.01}"}});
  CompareOptions options;
  options.min_sqnr = 60;
  const Comparison comparison =
      ComparedOn(kProducts, fits, Tensor::Of<float>({1, 4}, {1, 0.9F, -0.7F, 0.8F}), options);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  ASSERT_EQ(comparison.causes.size(), size_t{1});
  EXPECT_EQ(comparison.causes[0].kind, CauseKind::kQuantization);
  EXPECT_THAT(NodesOf(comparison), Not(IsEmpty()));
}

TEST(KeepInFloat, InReports) {
  Comparison comparison;
  EXPECT_THAT(KeepInFloatText(comparison), IsEmpty());
  EXPECT_THAT(RenderMarkdown(comparison, {}), Not(HasSubstr("Keep in float")));
  KeepInFloat keep;
  keep.nodes = {{"/down/MatMul", kNone}, {"a \"b\"", kNone}};
  keep.already = {{"left", kNone}};
  keep.after = 3.2e-4;
  comparison.keep_in_float = keep;
  EXPECT_EQ(KeepInFloatList(keep), R"(node_block_list=["/down/MatMul", "a \"b\"", "left"])");
  EXPECT_THAT(KeepInFloatText(comparison),
              ElementsAre("NaN or infinity becomes 3.2e-04", "the last one is in float already"));
  comparison.keep_in_float->before = 0.81;
  comparison.keep_in_float->cut_short = true;
  EXPECT_THAT(KeepInFloatText(comparison),
              ElementsAre("0.81 becomes 3.2e-04", "the last one is in float already",
                          "a limit was reached: fewer may do"));
  keep.nodes.resize(11, {"node", kNone});
  EXPECT_EQ(KeepInFloatList(keep),
            "all of it: with fewer than 11 nodes in float the outputs are not close");
  // In one line, whatever the width.
  TableOptions narrow;
  narrow.width = 40;
  EXPECT_THAT(
      RenderTable(comparison, narrow),
      HasSubstr("in float node_block_list=[\"/down/MatMul\", \"a \\\"b\\\"\", \"left\"]\n"));
  EXPECT_THAT(RenderMarkdown(comparison, {}),
              HasSubstr("```python\nnode_block_list=[\"/down/MatMul\""));
  EXPECT_THAT(RenderJson(comparison),
              AllOf(HasSubstr("\"option\":\"node_block_list\""), HasSubstr("\"before\":0.81"),
                    HasSubstr("\"already\":[\"left\"]"), HasSubstr("\"cut_short\":true")));
}

}  // namespace
}  // namespace onnxcmp

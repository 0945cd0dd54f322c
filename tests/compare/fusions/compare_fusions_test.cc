#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "reports/render_json.h"
#include "reports/render_markdown.h"
#include "reports/render_table.h"
#include "reports/table/render_fusions.h"
#include "tests/support/json_schema.h"
#include "tests/support/model_pair.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kLayer[] =
    "(float[2,4] x) => (float[2,4] y) <float[4,4] w = {0.5, 0, 0, 0.25, 0, 1, 0, 0, 0, 0, 1, 0, 0, "
    "0, 0.75, 1}, float[4] b = {0.1, 0.2, 0.3, 0.4}, float root = {1.4142135}, float one = {1}, "
    "float half = {0.5}, float s = {0.03}, uint8 z = {128}> "
    "{ [m] m = MatMul (x, w) [a] t = Add (m, b) [d] d = Div (t, root) [e] e = Erf (d) "
    "[p] p = Add (e, one) [g] g = Mul (t, p) [h] y = Mul (g, half) }";

std::string Quantized() {
  return absl::StrReplaceAll(kLayer, {{"[a] t = Add (m, b)",
                                       "[q] q8 = QuantizeLinear (m, s, z) "
                                       "[k] n = DequantizeLinear (q8, s, z) [a] t = Add (n, b)"}});
}

Comparison Compared(const std::string& left, const std::string& right) {
  CompareOptions options;
  options.fusions = true;
  absl::StatusOr<Comparison> comparison = CompareGraphs(left, right, GivenFeeds(), options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return *std::move(comparison);
}

TEST(CompareFusions, NamesWhatBreaksAPairAndWhatItCosts) {
  const Comparison comparison = Compared(kLayer, Quantized());
  const FusionReport& report = *comparison.fusions;
  ASSERT_THAT(report.pairs, SizeIs(2));  // the whole layer, and its Gelu
  const Fusion& broken = report.right[static_cast<size_t>(report.pairs[0].right)];
  ASSERT_THAT(broken.obstacles, SizeIs(1));
  const FusionObstacle& obstacle = broken.obstacles[0];
  EXPECT_EQ(obstacle.kind, ObstacleKind::kQuantization);
  EXPECT_THAT(obstacle.nodes, ElementsAre("q", "k"));
  EXPECT_EQ(obstacle.after, "m");
  EXPECT_EQ(obstacle.before, "a");
  ASSERT_TRUE(obstacle.sqnr.has_value());
  EXPECT_GT(*obstacle.sqnr, 20);
  ASSERT_TRUE(obstacle.cost.has_value());
  EXPECT_GT(*obstacle.cost, 0);
  EXPECT_LT(*obstacle.cost, 0.1);
  EXPECT_THAT(report.nodes_to_exclude, ElementsAre("m", "a"));
  EXPECT_TRUE(report.right[static_cast<size_t>(report.pairs[1].right)].whole());
}

TEST(CompareFusions, WhatIsFusedIsWhole) {
  const std::string fused = absl::StrReplaceAll(
      kLayer, {{"[a] t = Add (m, b) [d] d = Div (t, root) [e] e = Erf (d) [p] p = Add (e, one) "
                "[g] g = Mul (t, p) [h] y = Mul (g, half)",
                "[f] y = com.microsoft.BiasGelu (m, b)"}});
  const FusionReport report = *Compared(kLayer, fused).fusions;
  EXPECT_THAT(
      TextsOf(report).counts,
      ElementsAre("   1  MatMul + bias + Gelu (erf) → MatMul + bias + Gelu: whole on both sides",
                  "   1  Gelu (erf) → BiasGelu: whole on both sides"));
  EXPECT_THAT(report.nodes_to_exclude, IsEmpty());
  EXPECT_THAT(TextsOf(report).broken, IsEmpty());
}

TEST(CompareFusions, BothWaysRound) {
  const FusionReport report = *Compared(Quantized(), kLayer).fusions;
  EXPECT_THAT(TextsOf(report).broken,
              ElementsAre(HasSubstr("broken on the left, whole on the right")));
  EXPECT_TRUE(report.left[static_cast<size_t>(report.pairs[0].left)].obstacles[0].cost.has_value());
}

// A reader is no business of a quantizer.
TEST(CompareFusions, ReadersAreNotExcluded) {
  const std::string read = absl::StrReplaceAll(
      kLayer,
      {{"[a] t = Add", "[r] r = Relu (m) [a] t = Add"}, {"[2,4] y)", "[2,4] y, float[2,4] r)"}});
  const FusionReport report = *Compared(kLayer, read).fusions;
  EXPECT_THAT(TextsOf(report).obstacles, ElementsAre(ElementsAre(HasSubstr("second reader: 'r'"))));
  EXPECT_THAT(report.nodes_to_exclude, IsEmpty());
}

TEST(CompareFusions, ReportsCarryThem) {
  const Comparison comparison = Compared(kLayer, Quantized());
  const std::string table = RenderTable(comparison);
  EXPECT_THAT(table, HasSubstr("whole on the left, broken on the right"));
  EXPECT_THAT(table, HasSubstr("nodes_to_exclude = [\"m\",\"a\"]  # all of them\n"));
  EXPECT_THAT(RenderMarkdown(comparison),
              HasSubstr("<summary>Blocks that runtimes fuse</summary>"));
  const nlohmann::json json = nlohmann::json::parse(RenderJson(comparison));
  EXPECT_THAT(SchemaErrors(json, testing::ComparisonSchema()), IsEmpty());
  EXPECT_EQ(json["blocks"]["nodes_to_exclude"], (std::vector<std::string>{"m", "a"}));
  EXPECT_EQ(json["blocks"]["right"][0]["obstacles"][0]["kind"], "Q/DQ");
  CompareOptions without;
  const auto plain = CompareGraphs(kLayer, Quantized(), GivenFeeds(), without);
  ASSERT_TRUE(plain.ok());
  EXPECT_THAT(RenderJson(*plain), Not(HasSubstr("\"blocks\"")));
}

TEST(CompareFusions, ModelsAlone) {
  const Comparison comparison = Compared(kLayer, Quantized());
  const std::string text = RenderModelFusions("m.onnx", comparison.fusions->right);
  EXPECT_THAT(text, HasSubstr("m.onnx: 2 blocks that runtimes fuse, 1 whole, 1 broken"));
  EXPECT_THAT(text, HasSubstr("Q/DQ: 'q', 'k' between 'm' and 'a'"));
  const nlohmann::json json =
      nlohmann::json::parse(ModelFusionsJson("m.onnx", comparison.fusions->left));
  EXPECT_EQ(json["format"], "onnxcmp blocks");
  EXPECT_EQ(json["blocks"][0]["whole"], true);
}

}  // namespace
}  // namespace onnxcmp::testing

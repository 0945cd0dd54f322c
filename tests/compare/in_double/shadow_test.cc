// Runs in double beside the own ones: which side is nearer the truth.
#include "compare/in_double/shadow.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/causes/cause_truth.h"
#include "reports/render_csv.h"
#include "reports/render_json.h"
#include "reports/render_markdown.h"
#include "reports/render_table.h"
#include "reports/words/shadow_text.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using testing::CompareGraphs;
using ::testing::Contains;
using testing::GivenFeeds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Comparison Shadowed(const std::string& left, const std::string& right, const Feeds& feeds) {
  CompareOptions options;
  options.shadow = true;
  const auto comparison = CompareGraphs(left, right, feeds, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return {};
  EXPECT_TRUE(comparison->shadow.has_value());
  return *comparison;
}

TEST(TruthDistanceTest, ElementsMasksAndInfinities) {
  const TruthDistance distance = TruthDistanceOf(Tensor::Of<float>({4}, {1, 2, 3, 4.5f}),
                                                 Tensor::Of<double>({4}, {1, 2, 3, 4}));
  EXPECT_EQ(distance.max_absolute, 0.5);
  EXPECT_EQ(distance.rms, 0.25);
  EXPECT_NEAR(distance.scale, 2.7386, 1e-4);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(TruthDistanceOf(Tensor::Of<float>({2}, {1, -inf}), Tensor::Of<double>({2}, {1, -3e38}))
                .max_absolute,
            0);
  EXPECT_EQ(TruthDistanceOf(Tensor::Of<float>({2}, {1, inf}), Tensor::Of<double>({2}, {1, 70000}))
                .max_absolute,
            kInfinite);
  EXPECT_EQ(TruthDistanceOf(Tensor::Of<float>({1}, {inf - inf}), Tensor::Of<double>({1}, {1}))
                .max_absolute,
            kInfinite);
  EXPECT_EQ(TruthDistanceOf(Tensor::Of<float>({0}, {}), Tensor::Of<double>({0}, {})).rms, 0);
}

TEST(TruthDistanceTest, Judgement) {
  const auto distance = [](double relative, DType dtype) {
    TruthDistance d;
    d.rms = relative;
    d.scale = 1;
    d.dtype = dtype;
    return d;
  };
  const TruthFinding coarse =
      JudgeTruth(distance(1e-7, DType::kFloat), distance(1e-3, DType::kFloat16));
  EXPECT_EQ(coarse.nearer, Nearer::kLeft);
  EXPECT_NEAR(coarse.factor, 1e4, 1);
  EXPECT_EQ(NearerText(coarse), "the left is 10000 times nearer");
  EXPECT_EQ(JudgeTruth(distance(1e-3, DType::kFloat), distance(1e-7, DType::kFloat)).nearer,
            Nearer::kRight);
  EXPECT_EQ(JudgeTruth(distance(1e-7, DType::kFloat), distance(3e-7, DType::kFloat)).nearer,
            Nearer::kEqual);
  // Exact by chance.
  EXPECT_EQ(JudgeTruth(distance(0, DType::kFloat), distance(4e-8, DType::kFloat)).nearer,
            Nearer::kEqual);
}

constexpr char kFloat[] = R"((float[2,4] x) => (float[2,4] y)
<float[4,4] w = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                 0.45}> {
  product = MatMul (x, w)
  weights = Softmax (product)
  y = Tanh (weights)
})";

// The same with a detour through float16.
constexpr char kDetour[] = R"((float[2,4] x) => (float[2,4] y)
<float[4,4] w = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                 0.45}> {
  product = MatMul (x, w)
  half = Cast<to = 10> (product)
  back = Cast<to = 1> (half)
  weights = Softmax (back)
  y = Tanh (weights)
})";

TEST(ShadowTest, ADetourThroughFloat16IsFurtherFromTheTruth) {
  const Comparison comparison = Shadowed(kFloat, kDetour, GivenFeeds());
  const ShadowReport& shadow = *comparison.shadow;
  ASSERT_TRUE(shadow.farthest.has_value());
  EXPECT_TRUE(shadow.of_outputs);
  EXPECT_EQ(shadow.farthest->nearer, Nearer::kLeft);
  EXPECT_GT(shadow.farthest->factor, 100);
  ASSERT_TRUE(shadow.apart.has_value());
  EXPECT_LT(*shadow.apart, 1e-12);
  testing::ExpectGolden("table/shadow.txt", RenderTable(comparison));
  const Comparison turned = Shadowed(kDetour, kFloat, GivenFeeds());
  EXPECT_EQ(turned.shadow->farthest->nearer, Nearer::kRight);
}

TEST(ShadowTest, CausesAreJudgedWithoutBeingAsked) {
  const auto comparison = CompareGraphs(kFloat, kDetour, GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_FALSE(comparison->shadow.has_value());
  ASSERT_FALSE(comparison->causes.empty());
  const Cause& cause = comparison->causes[0];
  ASSERT_TRUE(cause.truth.has_value());
  EXPECT_EQ(cause.truth->nearer, Nearer::kLeft);
  EXPECT_THAT(TruthText(cause), HasSubstr("the left is"));
}

TEST(ShadowTest, ReportsCarryIt) {
  const Comparison comparison = Shadowed(kFloat, kDetour, GivenFeeds());
  const auto json = nlohmann::json::parse(RenderJson(comparison));
  EXPECT_THAT(testing::SchemaErrors(json, testing::ComparisonSchema()), IsEmpty());
  EXPECT_EQ(json["shadow"]["verdict"]["nearer"], "left");
  EXPECT_EQ(json["causes"][0]["truth"]["nearer"], "left");
  EXPECT_THAT(RenderCsv(comparison), HasSubstr(",left,"));
  EXPECT_THAT(RenderMarkdown(comparison), HasSubstr("<summary>In double</summary>"));
}

TEST(ShadowTest, TheSameIsEquallyGood) {
  const Comparison comparison = Shadowed(kFloat, kFloat, GivenFeeds());
  EXPECT_EQ(comparison.shadow->farthest->nearer, Nearer::kEqual);
  EXPECT_THAT(ShadowText(*comparison.shadow), Contains(HasSubstr("both sides are equally good")));
}

TEST(ShadowTest, AnotherConstantIsNoRounding) {
  const std::string left = "(float[2] x) => (float[2] y) <float c = {3}> { y = Div(x, c) }";
  const std::string right = "(float[2] x) => (float[2] y) <float c = {3.01}> { y = Div(x, c) }";
  const Comparison comparison =
      Shadowed(left, right, {{"x", Tensor::Of<float>({2}, {0.7f, 2.3f})}});
  EXPECT_EQ(comparison.shadow->farthest->nearer, Nearer::kEqual);
  EXPECT_NEAR(*comparison.shadow->apart, 0.0033, 0.002);
  EXPECT_THAT(ShadowText(*comparison.shadow), Contains(HasSubstr("which is no rounding")));
}

TEST(ShadowTest, IntegersThatChangeAreToldAndNothingIsSaidBehind) {
  // 0.1 + 0.2 is 0.3 in float, not in double: the elements that are equal are others.
  const std::string graph = R"((float[1] a, float[1] b, float[1] c) => (float[1] y, float[1] z) {
  sum = Add (a, b)
  equal = Equal (sum, c)
  number = Cast<to = 1> (equal)
  y = Exp (number)
  z = Exp (sum)
})";
  const auto one = [](float value) { return Tensor::Of<float>({1}, {value}); };
  const Comparison comparison =
      Shadowed(graph, graph, {{"a", one(0.1f)}, {"b", one(0.7f)}, {"c", one(0.1f + 0.7f)}});
  const SideShadow& left = comparison.shadow->left;
  EXPECT_EQ(left.first_changed, "equal");
  EXPECT_EQ(left.changed, 1);
  for (size_t r = 0; r < comparison.left.results.size(); ++r) {
    const std::string& name = comparison.left.results[r].name;
    EXPECT_EQ(left.misleading[r], name == "equal" || name == "number" || name == "y") << name;
  }
  EXPECT_THAT(ShadowText(*comparison.shadow),
              Contains(HasSubstr("the left has 1 result that is no float and is another in double, "
                                 "the first equal")));
}

TEST(ShadowTest, ALoopThatRunsLongerIsTold) {
  // Eight times 0.1f are 0.8000001 in float, and less in double.
  const std::string graph = R"((float[1] x) => (float[1] y)
<int64 n = {20}, bool go = {1}, float[1] end = {0.80000007}> {
  s = Loop (n, go, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] t) {
    t = Add (v, x) e = Less (t, end) d = Squeeze (e) }>
  y = Neg (s)
})";
  const Comparison comparison = Shadowed(graph, graph, {{"x", Tensor::Of<float>({1}, {0.1f})}});
  const SideShadow& left = comparison.shadow->left;
  EXPECT_FALSE(left.other_flow.empty() && left.first_changed.empty());
  EXPECT_FALSE(comparison.shadow->of_outputs);
}

TEST(ShadowTest, MaxDepthAndRecordedNumbersAgree) {
  const std::string graph = R"((float[1] x) => (float[1] y)
<int64 n = {3}, bool go = {1}> {
  s = Loop (n, go, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] t) {
    d = Identity (c) t = Sin (v) }>
  y = Exp (s)
})";
  CompareOptions options;
  options.shadow = true;
  for (const int depth : {0, 1}) {
    options.max_depth = depth;
    const auto comparison =
        CompareGraphs(graph, graph, {{"x", Tensor::Of<float>({1}, {0.3f})}}, options);
    ASSERT_TRUE(comparison.ok()) << comparison.status();
    const SideShadow& left = comparison->shadow->left;
    ASSERT_EQ(left.distances.size(), comparison->left.results.size());
    EXPECT_EQ(left.changed, 0);
    EXPECT_EQ(left.other_flow, "");
    for (size_t r = 0; r < left.distances.size(); ++r) {
      const StreamResult& result = comparison->left.results[r];
      const bool floats = result.kind != ResultKind::kInitializer &&
                          result.kind != ResultKind::kInput && result.dtype == DType::kFloat;
      EXPECT_EQ(left.distances[r].has_value(), floats) << result.name;
    }
  }
}

}  // namespace
}  // namespace onnxcmp

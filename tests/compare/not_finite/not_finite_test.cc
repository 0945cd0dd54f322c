// Where numbers become NaN or infinite, and what is said of it.
#include "compare/not_finite/not_finite.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/render_table.h"
#include "reports/words/not_finite_text.h"
#include "tests/support/golden.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using testing::CompareGraphs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor Floats(const std::vector<float>& values) {
  return Tensor::Of<float>({static_cast<int64_t>(values.size())}, values);
}

// Both sides are this model.
Comparison Twice(const std::string& graph, const Feeds& feeds) {
  const auto comparison = CompareGraphs(graph, graph, feeds);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *comparison : Comparison();
}

// "NAME REASON INDEX TEXT" of the left's origins.
std::vector<std::string> Origins(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const NotFiniteOrigin& origin : comparison.left_not_finite.origins) {
    lines.push_back(comparison.left.results[static_cast<size_t>(origin.result)].name + " " +
                    std::string(NotFiniteReasonName(origin.reason)) + " " + origin.index + " " +
                    origin.text);
  }
  return lines;
}

// Of y, which this operator makes of x.
std::vector<std::string> OriginsOf(const std::string& call, const std::vector<float>& x) {
  return Origins(Twice("(float[n] x) => (float[m] y) { y = " + call + " }", {{"x", Floats(x)}}));
}

TEST(NotFiniteTest, FunctionsOfOneElement) {
  EXPECT_THAT(OriginsOf("Exp(x)", {1, 100}),
              ElementsAre("y exponential [1] exp of 100 overflows float32, which ends at "
                          "3.4028e+38"));
  EXPECT_THAT(OriginsOf("Log(x)", {1, 2, -1.5f}), ElementsAre("y logarithm [2] log of -1.5"));
  EXPECT_THAT(OriginsOf("Log(x)", {0, 2}), ElementsAre("y logarithm [0] log of 0"));
  EXPECT_THAT(OriginsOf("Sqrt(x)", {1, -4}), ElementsAre("y root [1] square root of -4"));
  EXPECT_THAT(OriginsOf("Reciprocal(x)", {1, 0}), ElementsAre("y division_by_zero [1] 1 / 0"));
  EXPECT_THAT(OriginsOf("Acos(x)", {0, 2}), ElementsAre("y domain [1] acos of 2"));
  EXPECT_THAT(OriginsOf("Cast<to = 10>(x)", {0, 70000}),
              ElementsAre("y overflow [1] 70000 overflows float16, which ends at 65504"));
  EXPECT_THAT(OriginsOf("Abs(x)", {1, -2}), IsEmpty());
}

TEST(NotFiniteTest, FunctionsOfTwoElements) {
  const auto origins = [](const std::string& op, float a, float b) {
    const std::string graph =
        "(float[2,1] a, float[2] b) => (float[2,2] y) { y = " + op + "(a, b) }";
    const Comparison comparison = Twice(
        graph, {{"a", Tensor::Of<float>({2, 1}, {1, a})}, {"b", Tensor::Of<float>({2}, {1, b})}});
    const std::vector<NotFiniteOrigin>& found = comparison.left_not_finite.origins;
    return found.empty() ? "" : found.back().index + " " + found.back().text;
  };
  EXPECT_EQ(origins("Div", 3, 0), "[0,1] 1 / 0");
  EXPECT_EQ(origins("Div", 0, 0), "[1,1] 0 / 0");
  EXPECT_EQ(origins("Pow", -8, 0.5f), "[1,1] (-8) to the power 0.5");
  EXPECT_EQ(origins("Pow", 0, -1), "[1,1] 0 to the power -1");
  EXPECT_EQ(origins("Sub", kInfinity, kInfinity), "[1,1] inf - inf");
  EXPECT_EQ(origins("Add", kInfinity, -kInfinity), "[1,1] inf + (-inf)");
  EXPECT_EQ(origins("Mul", 0, kInfinity), "[1,1] 0 * inf");
  EXPECT_EQ(origins("Mul", 1e30f, 1e30f),
            "[1,1] 1e+30 * 1e+30 overflows float32, which ends at 3.4028e+38");
}

TEST(NotFiniteTest, SaysWhatTheElementWasMadeFrom) {
  const Comparison comparison = Twice("(float[3] a, float[1] b) => (float[3] y) { y = Div(a, b) }",
                                      {{"a", Floats({1, 2, 3})}, {"b", Floats({0})}});
  ASSERT_THAT(comparison.left_not_finite.origins, SizeIs(1));
  const NotFiniteOrigin& origin = comparison.left_not_finite.origins[0];
  EXPECT_EQ(origin.elements, 3);
  EXPECT_FALSE(origin.nan);
  EXPECT_EQ(origin.value, "inf");
  ASSERT_THAT(origin.made_from, SizeIs(2));
  EXPECT_EQ(origin.made_from[0].name, "a");
  EXPECT_EQ(origin.made_from[1].index, "[0]");
  EXPECT_EQ(origin.made_from[1].value, "0");
}

TEST(NotFiniteTest, MaskedRows) {
  const Feeds feeds = {
      {"x", Tensor::Of<float>({2, 3}, {1, -kInfinity, 2, -kInfinity, -kInfinity, -kInfinity})}};
  const std::string masked = "all 3 elements of its row are -inf: it is fully masked";
  EXPECT_THAT(Origins(Twice("(float[2,3] x) => (float[2,3] y) { y = Softmax(x) }", feeds)),
              ElementsAre(HasSubstr("x given"), "y masked_row [1,0] " + masked));
  EXPECT_THAT(Origins(Twice("(float[2,3] x) => (float[3,2] y) { t = Transpose(x) "
                            "y = LogSoftmax<axis = 0>(t) }",
                            feeds)),
              ElementsAre(HasSubstr("x given"), "y masked_row [0,1] " + masked));
}

// A row of ONNX's Attention that is masked throughout is zero; the NaN of another row has a reason
// of its own.
TEST(NotFiniteTest, AMaskedRowOfAttentionIsNoReason) {
  const Comparison comparison = Twice(
      "(float[1,1,2,1] q, float[1,1,1,1] k, bool[2,1] m) => (float[1,1,2,1] y) { y = acme.f(q, k, "
      "m) }"
      "<domain: \"acme\", opset_import: [\"\" : 24]> f (q, k, m) => (y) { y = Attention(q, k, k, "
      "m) }",
      {{"q", Tensor::Of<float>({1, 1, 2, 1}, {1, kInfinity})},
       {"k", Tensor::Of<float>({1, 1, 1, 1}, {1})},
       {"m", testing::Bools({2, 1}, {0, 1})}});
  EXPECT_THAT(Origins(comparison), ElementsAre(HasSubstr("q given"), Not(HasSubstr("masked"))));
}

TEST(NotFiniteTest, SumsOfProducts) {
  const std::string graph =
      "(float16[2,3] a, float16[3,2] b) => (float16[2,2] y) { y = MatMul(a, b) }";
  const auto half = [](std::vector<float> values, const Shape& shape) {
    std::vector<Eigen::half> halves;
    for (const float value : values) halves.emplace_back(value);
    return Tensor::Of<Eigen::half>(shape, halves);
  };
  const Comparison comparison = Twice(graph, {{"a", half({1, 2, 3, 300, 300, 1}, {2, 3})},
                                              {"b", half({1, 300, 1, 200, 1, 1}, {3, 2})}});
  EXPECT_THAT(Origins(comparison),
              ElementsAre("y overflow [1,1] 150001 overflows float16, which ends at 65504"));
  const NotFiniteOrigin& origin = comparison.left_not_finite.origins[0];
  ASSERT_THAT(origin.made_from, SizeIs(2));
  EXPECT_EQ(origin.made_from[0].index, "[1,0]");
  EXPECT_EQ(origin.made_from[1].value, "300");
  const Comparison infinite = Twice(graph, {{"a", half({1, 2, 3, 0, 2, 1}, {2, 3})},
                                            {"b", half({1, kInfinity, 1, 200, 1, 1}, {3, 2})}});
  EXPECT_THAT(Origins(infinite),
              ElementsAre(HasSubstr("b given"),
                          "y zero_times_infinity [1,1] 0 * inf in its sum of products"));
}

TEST(NotFiniteTest, OnlyTheFirstCounts) {
  // An infinity becomes NaN further on, and both go everywhere.
  EXPECT_THAT(
      Origins(Twice("(float[n] x) => (float[n] y) { e = Exp(x) f = Identity(e) "
                    "d = Sub(e, f) z = Neg(d) y = Add(z, e) }",
                    {{"x", Floats({1, 100})}})),
      ElementsAre(HasSubstr("e exponential [1]"), "d infinity_minus_infinity [1] inf - inf"));
}

TEST(NotFiniteTest, InsideALoopAndNotOfTheLoop) {
  const std::string graph = R"((float[1] x) => (float[1] y)
<int64 n = {3}, bool go = {1}, float[1] one = {1}> {
  y = Loop (n, go, x) <body = b (int64 i, bool c, float[1] s) => (bool d, float[1] t) {
    d = Identity (c) u = Sub (s, one) t = Reciprocal (u) }>
})";
  const Comparison comparison = Twice(graph, {{"x", Floats({1})}});
  EXPECT_THAT(Origins(comparison), ElementsAre("t division_by_zero [0] 1 / 0"));
  EXPECT_THAT(NotFiniteText(comparison, false), ElementsAre(HasSubstr("y[0]/t is inf at [0]")));
}

TEST(NotFiniteTest, GivenValues) {
  // A mask is nothing to tell; NaN in an input is.
  const Comparison mask = Twice(
      "(float[2] x) => (float[2] y) <float[2] m = {0, 1}> { "
      "k = Log(m) y = Add(x, k) }",
      {{"x", Floats({1, 2})}});
  EXPECT_THAT(Origins(mask), ElementsAre("k logarithm [0] log of 0"));
  const Comparison infinite =
      Twice("(float[2] x) => (float[2] y) { y = Neg(x) }", {{"x", Floats({1, kInfinity})}});
  EXPECT_THAT(Origins(infinite), ElementsAre(HasSubstr("x given [1]")));
  EXPECT_THAT(NotFiniteText(infinite, false), IsEmpty());
  EXPECT_THAT(NotFiniteText(infinite, true), SizeIs(1));
  const Comparison nan =
      Twice("(float[2] x) => (float[2] y) { y = Neg(x) }", {{"x", Floats({1, kNan})}});
  EXPECT_THAT(NotFiniteText(nan, false), ElementsAre(HasSubstr("both: input x is nan at [1]")));
}

TEST(NotFiniteTest, BothSidesAndOneSide) {
  const std::string left = R"((float[1,4] x) => (float[1,4] y)
<float[4] w = {0.5, -0.25, 0.125, 0.75}> {
  scaled = Mul (x, w) root = Sqrt (scaled) y = Add (root, x) })";
  const std::string right = R"((float[1,4] x) => (float[1,4] z)
<float[4] w = {0.5, -0.25, 0.125, 0.75}> {
  weighted = Mul (x, w) rooted = Sqrt (weighted) z = Add (rooted, x) })";
  const std::string fixed = R"((float[1,4] x) => (float[1,4] z)
<float[4] w = {0.5, -0.25, 0.125, 0.75}> {
  weighted = Mul (x, w) positive = Abs (weighted) rooted = Sqrt (positive) z = Add (rooted, x) })";
  const Feeds feeds = {{"x", Tensor::Of<float>({1, 4}, {1, 2, 3, 4})}};
  const auto both = CompareGraphs(left, right, feeds);
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->verdict(), Verdict::kSame);
  testing::ExpectGolden("table/not_finite_both.txt", RenderTable(*both));
  const auto one = CompareGraphs(left, fixed, feeds);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_THAT(NotFiniteText(*one, false),
              ElementsAre(AllOf(HasSubstr("left: Sqrt root is nan at [0,1]"),
                                HasSubstr("square root of -0.5; 1 of 4 elements"))));
  testing::ExpectGolden("table/not_finite_only.txt", RenderTable(*one, {.only_not_finite = true}));
  const auto none = CompareGraphs(fixed, fixed, feeds);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(RenderTable(*none, {.only_not_finite = true}),
              HasSubstr("not finite nothing: all results of both sides are finite"));
}

}  // namespace
}  // namespace onnxcmp

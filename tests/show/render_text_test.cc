#include "show/render_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "show/model/model_stats.h"
#include "show/model/node_selection.h"
#include "show/render_stats.h"
#include "tests/show/shown_test.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ShownTest;

class RenderTextTest : public ShownTest {
 protected:
  std::string Text(const ShownModel& model, const SelectionOptions& options = {}) const {
    const absl::StatusOr<NodeSelection> selection = SelectNodes(model, options);
    EXPECT_TRUE(selection.ok()) << selection.status();
    return RenderModelText(model, *selection, {.width = 120});
  }
};

TEST_F(RenderTextTest, ANodeIsALineWithConstantsAttributesAndTypes) {
  const std::string text = Text(Shown(R"((float[N,4] x) => (y)
      <float[4,8] w = {0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31}>
      { half = Constant <value_float = 0.5> ()
        p = MatMul (x, w)
        q = Mul (p, half)
        y = Softmax <axis = -1> (q) })"));
  EXPECT_THAT(text, HasSubstr("input    x  f32[N,4]\n"));
  EXPECT_THAT(text, HasSubstr("constant w  f32[4,8]  128 B\n"));
  EXPECT_THAT(text, HasSubstr(" 0 MatMul(x, w:f32[4,8]) -> p  f32[N,8]\n"));
  EXPECT_THAT(text, HasSubstr(" 1 Mul(p, 0.5) -> q  f32[N,8]\n"));
  EXPECT_THAT(text, HasSubstr(" 2 Softmax(q, axis=-1) -> y  f32[N,8]\n"));
}

TEST_F(RenderTextTest, ShapesThatNodesComputeAreFollowed) {
  const ShownModel model = Shown(R"((float[2,3,4] x) => (y) {
      s = Shape (x)
      i = Constant <value = int64[1] {0}> ()
      n = Gather (s, i)
      m = Constant <value = int64[1] {-1}> ()
      t = Concat <axis = 0> (n, m)
      y = Reshape (x, t) })");
  EXPECT_EQ(model.graph.TypeOf("y"), "f32[2,12]");
}

// ONNX's own code would count on for ever.
TEST_F(RenderTextTest, SlicesOfShapesThatNeverEndAreNotFollowed) {
  for (const char* step : {"0", "-9223372036854775808", "4294967296"}) {
    const ShownModel model = Shown(
        std::string("(float[2,3] x) => (y) <int64[1] a = {0}, int64[1] b = {2}, int64[1] t = {") +
        step + "}> { s = Shape (x) y = Slice (s, a, b, a, t) }");
    EXPECT_EQ(model.graph.nodes.size(), 2U);
  }
}

TEST_F(RenderTextTest, FreeDimensionsTakeSizes) {
  ShowOptions options;
  options.dims["N"] = 5;
  const ShownModel model = Read(Write("(float[N,4] x) => (float[M,4] y) { y = Abs (x) }"), options);
  EXPECT_EQ(model.graph.TypeOf("y"), "f32[5,4]");
  options.dims = {{"K", 5}};
  EXPECT_FALSE(ReadShownModel(folder_.Path("model.onnxtxt"), AllOperators(), options).ok());
}

TEST_F(RenderTextTest, SubgraphsAndFunctionsAreIndented) {
  const std::string text = Text(Shown(
      R"((bool c, float[2] x) => (y) {
        t = local.Twice (x)
        y = If (c) <then_branch = a () => (u) { u = Neg (t) }, else_branch = b () => (v) { v = Abs (t) }> })",
      R"(<domain: "local", opset_import: ["" : 18]> Twice (p) => (q) { q = Add (p, p) })"));
  EXPECT_THAT(text, HasSubstr("If(c) -> y"));
  EXPECT_THAT(text, HasSubstr("     then_branch() -> u\n"));
  EXPECT_THAT(text, HasSubstr("0 Neg(t) -> u"));
  EXPECT_THAT(text, HasSubstr("function local.Twice(p) -> q  opset 18, called once\n"));
  EXPECT_THAT(text, HasSubstr("   0 Add(p, p) -> q\n"));
}

TEST_F(RenderTextTest, OperatorsNeedNotBeKnown) {
  EXPECT_THAT(Text(Shown("(float[2] x) => (y) { y = acme.Magic <power = 3> (x) }")),
              HasSubstr("acme.Magic(x, power=3) -> y"));
}

constexpr char kChain[] = R"((float[2] x) => (e) {
    a = Abs (x)
    b = Neg (a)
    c = Exp (b)
    d = Abs (c)
    e = Neg (d) })";

TEST_F(RenderTextTest, WhatIsNearANameIsShown) {
  const ShownModel model = Shown(kChain);
  const std::string text = Text(model, {.around = "c", .hops = 1});
  EXPECT_THAT(text, HasSubstr("Exp(b) -> c"));
  EXPECT_THAT(text, HasSubstr("Neg(a) -> b"));
  EXPECT_THAT(text, HasSubstr("Abs(c) -> d"));
  EXPECT_THAT(text, Not(HasSubstr("-> e")));
  EXPECT_THAT(text, HasSubstr("… 1 node"));
  EXPECT_FALSE(SelectNodes(model, {.around = "nowhere"}).ok());
}

TEST_F(RenderTextTest, OperatorsAreChosenInAnyCase) {
  const ShownModel model = Shown(kChain);
  const std::string text = Text(model, {.operators = OperatorList("abs, EXP")});
  EXPECT_THAT(text, HasSubstr("Abs(x) -> a"));
  EXPECT_THAT(text, HasSubstr("Exp(b) -> c"));
  EXPECT_THAT(text, Not(HasSubstr("Neg(")));
  const auto none = SelectNodes(model, {.operators = {"Expp"}});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("did you mean `Exp`"));
}

TEST_F(RenderTextTest, LongListsAreFolded) {
  std::string inputs;
  std::string names;
  for (int i = 0; i < 20; ++i) {
    inputs += (i > 0 ? ", float[2] x" : "float[2] x") + std::to_string(i);
    names += (i > 0 ? ", x" : "x") + std::to_string(i);
  }
  const ShownModel model = Shown("(" + inputs + ") => (y) { y = Sum (" + names + ") }");
  const std::string text = Text(model);
  EXPECT_THAT(text, HasSubstr("input    … 9 more (--all)\n"));
  EXPECT_THAT(text, HasSubstr("Sum(x0, x1, x2, x3, x4, x5, … 13 more, x19) -> y"));
  const std::string all =
      RenderModelText(model, NodeSelection(), {.width = 120, .rows = TableOptions::Rows::kAll});
  EXPECT_THAT(all, HasSubstr("input    x19  f32[2]\n"));
}

TEST_F(RenderTextTest, NamesCannotSteerTheTerminal) {
  const std::string text = Text(Shown("(float[2] \"a\x1b[2J\") => (y) { y = Abs (\"a\x1b[2J\") }"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\\x1b[2J"));
}

// ONNX's shape inference would walk each call.
TEST_F(RenderTextTest, FunctionsThatDoubleAreRefused) {
  constexpr int kLevels = 30;
  std::string functions;
  for (int i = 0; i < kLevels; ++i) {
    absl::StrAppend(
        &functions, "\n<opset_import: [\"\" : 18, \"local\" : 1], domain: \"local\"> f", i,
        " (x) => (y) { t = ", i + 1 < kLevels ? absl::StrCat("local.f", i + 1) : "Neg",
        " (x) y = ", i + 1 < kLevels ? absl::StrCat("local.f", i + 1) : "Neg", " (t) }");
  }
  const absl::StatusOr<ShownModel> model = ReadShownModel(
      Write("(float[2] x) => (y) { y = local.f0 (x) }", functions), AllOperators(), {});
  EXPECT_THAT(std::string(model.status().message()), HasSubstr("its functions call each other so"));
}

TEST_F(RenderTextTest, StatisticsCount) {
  ShownModel model = Shown(R"((float[N,4] x) => (y)
      <float[4,2] w = {1,2,3,4,5,6,7,8}, float16[3] unused = {0,0,0}>
      { ["/net/first/MatMul"] p = MatMul (x, w)
        ["/net/second/Abs"] y = Abs (p) })");
  CountOperations(&model);
  ModelStats stats = StatsOf(model);
  EXPECT_EQ(stats.nodes, 2);
  EXPECT_EQ(stats.parameters, 11);
  EXPECT_EQ(stats.bytes, 38);
  EXPECT_EQ(stats.unread, 1);
  EXPECT_EQ(stats.not_counted, 1);
  ASSERT_EQ(stats.scopes.size(), 2U);
  EXPECT_EQ(stats.scopes[0].name, "net/first");
  EXPECT_EQ(stats.scopes[0].bytes, 32);
  EXPECT_THAT(RenderStats(model, stats, {}), HasSubstr("free dimension N: x[0]\n"));
  ShowOptions options;
  options.dims["N"] = 3;
  model = Read(folder_.Path("model.onnxtxt"), options);
  CountOperations(&model);
  stats = StatsOf(model);
  EXPECT_EQ(stats.operations, 2 * 3 * 4 * 2);
  EXPECT_EQ(stats.not_counted, 0);
}

}  // namespace
}  // namespace onnxcmp

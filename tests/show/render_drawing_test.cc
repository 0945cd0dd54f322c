#include "show/render_drawing.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "show/page_bundle.h"
#include "tests/show/shown_test.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ShownTest;

// How often a text stands in another.
int Times(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class RenderDrawingTest : public ShownTest {
 protected:
  ShownModel model_ = Shown(
      R"((bool c, float[2] x) => (y) <float k = {0.5}> {
        t = Mul (x, k)
        y = If (c) <then_branch = a () => (u) { u = Neg (t) }, else_branch = b () => (v) { v = Abs (t) }> })");
};

TEST_F(RenderDrawingTest, NodesInputsAndOutputsAreBoxes) {
  const std::string svg = RenderSvg(DrawModel(model_, NodeSelection()));
  // c, x, Mul, Neg, Abs, If, y; the constant stands in its reader's box.
  EXPECT_EQ(Times(svg, "<rect "), 7);
  EXPECT_EQ(Times(svg, "data-op=\"If\""), 1);
  EXPECT_EQ(Times(svg, " inner\""), 2);
  EXPECT_THAT(svg, HasSubstr(">1: 0.5</text>"));
  // x -> Mul, Mul -> Neg, Mul -> Abs, Neg -> If, Abs -> If, c -> If, If -> y.
  EXPECT_EQ(Times(svg, "class=\"tip\""), 7);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST_F(RenderDrawingTest, ASelectionLeavesTheRestOut) {
  const auto selection = SelectNodes(model_, {.operators = {"Mul"}});
  ASSERT_TRUE(selection.ok());
  const std::string svg = RenderSvg(DrawModel(model_, *selection));
  EXPECT_EQ(Times(svg, "<rect "), 2);
  EXPECT_THAT(svg, HasSubstr("(1 nodes are not shown)"));
}

TEST_F(RenderDrawingTest, NamesAreNoMarkup) {
  const ShownModel model = Shown(
      "(float[2] \"<script>alert(1)</script>\") => (\"a&\\\"'b\") "
      "{ \"a&\\\"'b\" = Abs (\"<script>alert(1)</script>\") }");
  for (const std::string& text : {RenderSvg(DrawModel(model, NodeSelection())),
                                  RenderDrawingPage(DrawModel(model, NodeSelection()))}) {
    EXPECT_THAT(text, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(text, HasSubstr("data-name=\"a&amp;&quot;&#39;b\""));
  }
}

TEST_F(RenderDrawingTest, ThePageLoadsNothing) {
  const std::string page = RenderDrawingPage(DrawModel(model_, NodeSelection()));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("input type=\"search\""));
  EXPECT_EQ(Times(page, "<script"), 1);
  EXPECT_EQ(Times(page, "<style"), 1);
  for (const char* loads : {"src=\"", "href=\"", "@import", "url(", " style=\"", "fetch("}) {
    EXPECT_THAT(page, Not(HasSubstr(loads)));
  }
  EXPECT_THAT(std::string(GetDrawingBundle().script), Not(HasSubstr("</script")));
}

TEST_F(RenderDrawingTest, TwoModelsStandSideBySide) {
  const ShownModel left =
      Shown("(float[2,2] x) => (y) { a = Abs (x) y = Softmax <axis=1> (a) }", "", "left.onnxtxt");
  const ShownModel right =
      Shown("(float[2,2] x) => (y) { a = Abs (x) y = Softmax <axis=0> (a) }", "", "right.onnxtxt");
  const Drawing drawing =
      DrawPair(left, right, PairNodes(left.graph, right.graph), NodeSelection(), NodeSelection());
  const std::string svg = RenderSvg(drawing);
  EXPECT_EQ(Times(svg, "<rect "), 8);
  EXPECT_EQ(Times(svg, "data-relation=\"different\""), 2);
  EXPECT_EQ(Times(svg, "≠ axis: 1 | 0</text>"), 2);
  EXPECT_THAT(svg, HasSubstr("data-partner=\"r1\""));
  EXPECT_THAT(svg, HasSubstr("1 the same (=), 1 different (≠)"));
  const std::string dot = RenderDrawingDot(drawing);
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_r"));
  EXPECT_THAT(dot, HasSubstr("{rank=same; l1; r1;}"));
  EXPECT_EQ(Times(dot, "{"), Times(dot, "}"));
}

// A pair whose nodes are all the same, but not its outputs.
TEST_F(RenderDrawingTest, WhatDiffersBesideTheNodesIsDrawnAndSaid) {
  const std::string nodes = " { y = Abs (x) z = Neg (x) }";
  const ShownModel left = Shown("(float[2] x) => (y, z)" + nodes, "", "left.onnxtxt");
  const ShownModel right = Shown("(float[2] x) => (z, y)" + nodes, "", "right.onnxtxt");
  const NodeSelection all;
  const Drawing drawing = DrawPair(left, right, PairNodes(left.graph, right.graph), all, all);
  const std::string said = "≠ output 0: y f32[2] | z f32[2], another result";
  const std::string svg = RenderSvg(drawing);
  EXPECT_EQ(Times(svg, "data-relation=\"different\""), 4);
  EXPECT_THAT(svg, HasSubstr(">" + said + "</text>"));
  EXPECT_THAT(RenderDrawingPage(drawing), HasSubstr("<li>" + said + "</li>"));
  EXPECT_THAT(RenderDrawingDot(drawing), HasSubstr("\\n" + said));
  const Drawing same = DrawPair(left, left, PairNodes(left.graph, left.graph), all, all);
  EXPECT_EQ(Times(RenderSvg(same), "data-relation=\"different\""), 0);
  EXPECT_THAT(RenderDrawingPage(same), Not(HasSubstr("<li>")));
}

// What differs of an input that is not drawn marks none that is.
TEST_F(RenderDrawingTest, InputsAreCountedInTheModelAndNotInTheDrawing) {
  const std::string rest = "[2] a, float[2] b) => (y, z) { y = Abs (a) z = Neg (b) }";
  const ShownModel left = Shown("(float" + rest, "", "left.onnxtxt");
  const ShownModel right = Shown("(double" + rest, "", "right.onnxtxt");
  const auto draw = [&](const std::string& op) {
    const auto ours = SelectNodes(left, {.operators = {op}});
    const auto theirs = SelectNodes(right, {.operators = {op}});
    EXPECT_TRUE(ours.ok() && theirs.ok());
    const std::vector<NodePair> pairs = PairNodes(left.graph, right.graph);
    return RenderSvg(DrawPair(left, right, pairs, *ours, *theirs));
  };
  EXPECT_EQ(Times(draw("Neg"), "data-relation=\"different\""), 0);
  EXPECT_EQ(Times(draw("Abs"), "data-relation=\"different\""), 6);
}

}  // namespace
}  // namespace onnxcmp

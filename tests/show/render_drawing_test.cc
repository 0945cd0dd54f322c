#include "show/render_drawing.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "show/drawing_json.h"
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
  const std::string svg = RenderSvg(DrawModels({&model_}, {}, {NodeSelection()}));
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
  const std::string svg = RenderSvg(DrawModels({&model_}, {}, {*selection}));
  EXPECT_EQ(Times(svg, "<rect "), 2);
  EXPECT_THAT(svg, HasSubstr("(1 nodes are not shown)"));
}

TEST_F(RenderDrawingTest, NamesAreNoMarkup) {
  const ShownModel model = Shown(
      "(float[2] \"<script>alert(1)</script>\") => (\"a&\\\"'b\") "
      "{ \"a&\\\"'b\" = Abs (\"<script>alert(1)</script>\") }");
  const Drawing drawing = DrawModels({&model}, {}, {NodeSelection()});
  const std::string svg = RenderSvg(drawing);
  EXPECT_THAT(svg, HasSubstr("data-name=\"a&amp;&quot;&#39;b\""));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  const std::string page = RenderDrawingPage(drawing);
  EXPECT_THAT(page, HasSubstr("\\u003cscript>alert(1)"));
  for (const std::string& text : {svg, page}) EXPECT_THAT(text, Not(HasSubstr("<script>alert")));
}

TEST_F(RenderDrawingTest, ThePageLoadsNothing) {
  const std::string page = RenderDrawingPage(DrawModels({&model_}, {}, {NodeSelection()}));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_EQ(Times(page, "<script"), 2);  // the graphs, and what shows them
  EXPECT_EQ(Times(page, "<style"), 1);
  for (const char* loads : {"src=\"", "href=\"", "@import", "url(", " style=\"", "fetch("}) {
    EXPECT_THAT(page, Not(HasSubstr(loads)));
  }
}

TEST_F(RenderDrawingTest, JsonHasWhereBoxesLieAndWhatTheyWeigh) {
  const ShownModel model = Shown("(float[2] x) => (y) <float[3,2] w> { y = Add (x, w) }");
  const std::string json = DrawingJson(DrawModels({&model}, {}, {NodeSelection()}));
  EXPECT_THAT(json, HasSubstr("\"lines\":[\"Add\""));
  EXPECT_THAT(json, HasSubstr("\"relation\":\"same\""));
  // y is float[3,2].
  EXPECT_THAT(json, HasSubstr("\"bytes\":24"));
  EXPECT_EQ(Times(json, "\"box\":["), 3);
}

// Each stands beside the next, and says what differs from the one before.
TEST_F(RenderDrawingTest, ThreeModelsStandSideBySide) {
  const auto model = [&](const std::string& nodes, const std::string& file) {
    return Shown("(float[2,2] x) => (y) { " + nodes + " }", "", file);
  };
  const ShownModel a = model("a = Abs (x) y = Softmax <axis=1> (a)", "a.onnxtxt");
  const ShownModel b = model("a = Abs (x) y = Softmax <axis=0> (a)", "b.onnxtxt");
  const ShownModel c = model("a = Abs (x) n = Neg (a) y = Softmax <axis=0> (n)", "c.onnxtxt");
  const Drawing drawing =
      DrawModels({&a, &b, &c}, {PairNodes(a.graph, b.graph), PairNodes(b.graph, c.graph)},
                 std::vector<NodeSelection>(3));
  ASSERT_EQ(drawing.graphs.size(), 3U);
  const auto softmax = [&](size_t g) {
    const std::vector<DrawnBox>& boxes = drawing.graphs[g].boxes;
    return std::find_if(boxes.begin(), boxes.end(),
                        [](const DrawnBox& box) { return box.lines[0] == "Softmax"; });
  };
  for (const size_t g : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(softmax(g)->after, softmax(g + 1) - drawing.graphs[g + 1].boxes.begin());
    EXPECT_EQ(softmax(g + 1)->before, softmax(g) - drawing.graphs[g].boxes.begin());
  }
  EXPECT_EQ(softmax(0)->before, -1);
  EXPECT_EQ(softmax(2)->after, -1);
  EXPECT_EQ(softmax(1)->relation, NodeRelation::kDifferent);
  EXPECT_THAT(drawing.summary, HasSubstr("a.onnxtxt → b.onnxtxt: 1 the same (=), 1 different"));
  EXPECT_THAT(drawing.summary, HasSubstr("b.onnxtxt → c.onnxtxt: "));
  const PlacedDrawing placed = PlaceDrawing(drawing);
  const auto height = [&](size_t g) {
    return placed.layouts[g]
        .centers[static_cast<size_t>(softmax(g) - drawing.graphs[g].boxes.begin())]
        .y;
  };
  EXPECT_EQ(height(0), height(1));
  EXPECT_EQ(height(1), height(2));
  EXPECT_EQ(Times(RenderDrawingDot(drawing), "subgraph cluster_"), 3);
}

TEST_F(RenderDrawingTest, TwoModelsStandSideBySide) {
  const ShownModel left =
      Shown("(float[2,2] x) => (y) { a = Abs (x) y = Softmax <axis=1> (a) }", "", "left.onnxtxt");
  const ShownModel right =
      Shown("(float[2,2] x) => (y) { a = Abs (x) y = Softmax <axis=0> (a) }", "", "right.onnxtxt");
  const Drawing drawing = DrawModels({&left, &right}, {PairNodes(left.graph, right.graph)},
                                     {NodeSelection(), NodeSelection()});
  const std::string svg = RenderSvg(drawing);
  EXPECT_EQ(Times(svg, "<rect "), 8);
  EXPECT_EQ(Times(svg, "data-relation=\"different\""), 2);
  EXPECT_EQ(Times(svg, "≠ axis: 1 | 0</text>"), 2);
  EXPECT_THAT(svg, HasSubstr("data-partner=\"b1\""));
  EXPECT_THAT(svg, HasSubstr("1 the same (=), 1 different (≠)"));
  const std::string dot = RenderDrawingDot(drawing);
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_b"));
  EXPECT_THAT(dot, HasSubstr("{rank=same; a1; b1;}"));
  EXPECT_EQ(Times(dot, "{"), Times(dot, "}"));
}

// A pair whose nodes are all the same, but not its outputs.
TEST_F(RenderDrawingTest, WhatDiffersBesideTheNodesIsDrawnAndSaid) {
  const std::string nodes = " { y = Abs (x) z = Neg (x) }";
  const ShownModel left = Shown("(float[2] x) => (y, z)" + nodes, "", "left.onnxtxt");
  const ShownModel right = Shown("(float[2] x) => (z, y)" + nodes, "", "right.onnxtxt");
  const NodeSelection all;
  const Drawing drawing =
      DrawModels({&left, &right}, {PairNodes(left.graph, right.graph)}, {all, all});
  const std::string said = "≠ output 0: y f32[2] | z f32[2], another result";
  const std::string svg = RenderSvg(drawing);
  EXPECT_EQ(Times(svg, "data-relation=\"different\""), 4);
  EXPECT_THAT(svg, HasSubstr(">" + said + "</text>"));
  EXPECT_THAT(RenderDrawingPage(drawing), HasSubstr("<p>" + said + "</p>"));
  EXPECT_THAT(RenderDrawingDot(drawing), HasSubstr("\\n" + said));
  const Drawing same = DrawModels({&left, &left}, {PairNodes(left.graph, left.graph)}, {all, all});
  EXPECT_EQ(Times(RenderSvg(same), "data-relation=\"different\""), 0);
  EXPECT_THAT(RenderDrawingPage(same), Not(HasSubstr("<p>≠")));
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
    return RenderSvg(DrawModels({&left, &right}, {pairs}, {*ours, *theirs}));
  };
  EXPECT_EQ(Times(draw("Neg"), "data-relation=\"different\""), 0);
  EXPECT_EQ(Times(draw("Abs"), "data-relation=\"different\""), 6);
}

}  // namespace
}  // namespace onnxcmp

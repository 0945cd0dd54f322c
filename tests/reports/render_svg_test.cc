// A comparison as a picture.
#include "reports/render_svg.h"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/pictures/value_picture.h"
#include "tests/support/built_comparison.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using testing::BuiltSide;
using testing::CompareBuilt;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SomeFloats;

const Shape kShape = {4, 8};

// A chain of Add, Softmax and Mul, between nodes that are too far off to be seen.
BuiltSide Chain(double noise) {
  BuiltSide side;
  const int weights = side.Initializer("weights", SomeFloats(kShape, 1));
  int x = side.Input("x", SomeFloats(kShape, 2));
  for (uint64_t i = 0; i < 5; ++i) {
    x = side.Node("Abs", {x}, absl::StrCat("far_", i), SomeFloats(kShape, 3 + i));
  }
  const int sum = side.Node("Add", {x, weights}, "sum<&>\uFFFE", SomeFloats(kShape, 20));
  const int soft = side.Node("Softmax", {sum}, "soft", SomeFloats(kShape, 21, noise));
  const int product = side.Node("Mul", {soft, sum}, "product", SomeFloats(kShape, 22, noise));
  side.Output("y", product);
  return side;
}

int ResultNamed(const ResultStream& stream, const std::string& name) {
  for (size_t i = 0; i < stream.results.size(); ++i) {
    if (stream.results[i].name == name) return static_cast<int>(i);
  }
  return kNone;
}

Comparison WithCause() {
  const BuiltSide left = Chain(0);
  const BuiltSide right = Chain(0.1);
  Comparison comparison = CompareBuilt(left, right);
  comparison.left_summary.source = "dir/left.onnx";
  comparison.right_summary.source = "right.onnx";
  Cause cause;
  cause.left = ResultNamed(comparison.left, "soft");
  cause.right = ResultNamed(comparison.right, "soft");
  cause.text = "on the left's own inputs the right differs by up to 0.1; attribute axis: -1 | 1";
  cause.attributes = {{"axis", "-1", "1", true}};
  comparison.causes.push_back(std::move(cause));
  for (ComparedRow& row : comparison.rows) {
    if (row.difference == nullptr) continue;
    row.picture = PictureOf(Value(left.value(row.aligned.left.back())),
                            Value(right.value(row.aligned.right.back())), *row.difference);
  }
  return comparison;
}

TEST(RenderSvgTest, HasVerdictCauseGraphsAndMaps) {
  const std::string svg = RenderSvg(WithCause());
  EXPECT_THAT(svg, AllOf(HasSubstr(">different<"), HasSubstr("dir/left.onnx"),
                         HasSubstr("Softmax soft: attribute axis: -1 | 1"),
                         HasSubstr("on the left&#39;s own inputs the right differs by up to 0.1")));
  EXPECT_THAT(svg, AllOf(HasSubstr(">axis = -1<"), HasSubstr(">axis = 1<"),
                         HasSubstr("stroke-width=\"3.5\"")));
  EXPECT_THAT(svg, AllOf(HasSubstr(">left<"), HasSubstr(">right<"), HasSubstr(">difference<"),
                         HasSubstr("shape-rendering=\"crispEdges\"")));
}

TEST(RenderSvgTest, ShowsWhatIsNearTheCauseAlone) {
  const std::string svg = RenderSvg(WithCause());
  EXPECT_THAT(svg, AllOf(HasSubstr(">product<"), HasSubstr(">far_4<"), Not(HasSubstr(">far_0<"))));
  // A constant that both sides have stands in no box.
  EXPECT_THAT(svg, Not(HasSubstr(">weights<")));
}

TEST(RenderSvgTest, NeedsNothingElse) {
  const std::string svg = RenderSvg(WithCause());
  // As XML can hold it.
  EXPECT_THAT(svg, HasSubstr("sum&lt;&amp;&gt;\\ufffe<"));
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("href")), Not(HasSubstr("url(")),
                         Not(HasSubstr("\u00A0"))));
}

// Of models that agree there is nothing to draw but what changed.
TEST(RenderSvgTest, OfModelsThatAreTheSame) {
  const BuiltSide side = Chain(0);
  const std::string svg = RenderSvg(CompareBuilt(side, side));
  EXPECT_THAT(svg, AllOf(HasSubstr(">same<"), Not(HasSubstr("Both graphs")), HasSubstr("</svg>")));
}

TEST(RenderSvgTest, OfASideThatFailed) {
  Comparison comparison;
  comparison.left_summary.source = "left.onnx";
  comparison.left_summary.status = absl::InvalidArgumentError("node 3 Squeeze: \x01 no axis");
  EXPECT_THAT(RenderSvg(comparison), AllOf(HasSubstr(">failed<"), HasSubstr("no axis")));
}

}  // namespace
}  // namespace onnxcmp

// The part of rounding that the order of addition makes.
#include "compare/explain/reversed_sums.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "reports/render_table.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The right reads inputs twice as large, so that the two differ.
Comparison OfNode(const std::string& node, const Tensor& x, const std::string& constants) {
  const std::string model =
      absl::StrCat("(float[", absl::StrJoin(x.shape(), ","), "] x) => (float[?] y) <", constants,
                   ", float f = {1}> { t = Mul (x, f) ", node, " y = Identity (s) }");
  CompareOptions options;
  options.explain = "s";
  auto comparison = testing::CompareGraphs(
      model, absl::StrReplaceAll(model, {{"f = {1}", "f = {2}"}}), {{"x", x}}, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

Tensor Row() { return Tensor::Of<float>({2, 3}, {1, 1e8f, -1e8f, 1, 1, 1}); }

// The first row, 1 + 1e8 - 1e8, is 0 in float, and 1 from the other end.
TEST(ReversedSums, MoveWhatTheOrderMoves) {
  const std::string ones = "float[3,1] w = {1, 1, 1}";
  for (const std::string node :
       {"s = MatMul (t, w)", "s = Gemm (t, w)", "s = com.microsoft.FusedMatMul (t, w)",
        "s = com.microsoft.FusedGemm <activation = \"Relu\"> (t, w)"}) {
    const Comparison comparison = OfNode(node, Row(), ones);
    ASSERT_TRUE(comparison.explanation.has_value()) << node;
    EXPECT_EQ(comparison.explanation->order, 1) << node;
    EXPECT_EQ(comparison.explanation->order_sums, 1) << node;
    EXPECT_EQ(comparison.explanation->order_side, SideId::kLeft);
    EXPECT_THAT(
        RenderTable(comparison, {.width = 120}),
        HasSubstr("order      with the sum before it in reverse order the left moves by 1\n"));
  }
  const std::string transposed = "float[1,3] w = {1, 1, 1}";
  EXPECT_EQ(OfNode("s = Gemm <transB = 1> (t, w)", Row(), transposed).explanation->order, 1);
}

// Reductions of few numbers add in an order of their own, so that the number may stay.
TEST(ReversedSums, MoveAReduction) {
  const Tensor x = Tensor::Of<float>({1, 9}, {0x1p53f, 1, 1, 1, 1, 1, 1, 1, 1});
  const std::string axes = "int64[1] axes = {1}";
  EXPECT_EQ(OfNode("s = ReduceSum (t, axes)", x, axes).explanation->order_sums, 1);
  EXPECT_EQ(OfNode("s = ReduceMean (t, axes)", x, axes).explanation->order_sums, 1);
  const std::string none = "int64[0] axes = {}";
  EXPECT_EQ(
      OfNode("s = ReduceSum <noop_with_empty_axes = 1> (t, axes)", x, none).explanation->order_sums,
      0);
}

TEST(ReversedSums, MoveAConvolution) {
  const Tensor x = Tensor::Of<float>({2, 3, 1, 1}, {1, 1e8f, -1e8f, 1, 1, 1});
  const std::string ones = "float[1,3,1,1] w = {1, 1, 1}";
  EXPECT_EQ(OfNode("s = Conv (t, w)", x, ones).explanation->order, 1);
  EXPECT_EQ(OfNode("s = com.microsoft.FusedConv (t, w)", x, ones).explanation->order, 1);
  const std::string of_groups = "float[3,1,1,1] w = {1, 1, 1}";
  EXPECT_FALSE(OfNode("s = Conv <group = 3> (t, w)", x, of_groups).explanation->order.has_value());
}

// Elements are back in their places: they are far apart from each other.
TEST(ReversedSums, OfNormalizationsKeepTheirPlaces) {
  const Tensor x = Tensor::Of<float>({2, 4}, {0.5f, 3, -2, 1.25f, 4, -1, 0.75f, 0.3f});
  const std::string scale = "float[4] w = {1, 5, 9, 2}, float[4] b = {3, -7, 0, 4}";
  for (const std::string node :
       {"s = Softmax (t)", "s = Softmax <axis = 0> (t)", "s = LayerNormalization (t, w, b)",
        "s = LayerNormalization <axis = 0> (t, x)"}) {
    const Comparison comparison = OfNode(node, x, scale);
    ASSERT_TRUE(comparison.explanation.has_value()) << node;
    ASSERT_TRUE(comparison.explanation->order.has_value()) << node;
    EXPECT_LT(*comparison.explanation->order, 1e-5) << node;
  }
}

// A scale of each row of its own would have to be reversed along its last axis alone.
TEST(ReversedSums, OfAScaleThatReachesBeyondTheAxesAreNotThere) {
  const Tensor x = Tensor::Of<float>({2, 4}, {0.5f, 3, -2, 1.25f, 4, -1, 0.75f, 0.3f});
  const std::string scale = "float[2,4] w = {1, 5, 9, 2, 3, -7, 0, 4}";
  const Comparison comparison = OfNode("s = LayerNormalization (t, w)", x, scale);
  ASSERT_TRUE(comparison.explanation.has_value());
  EXPECT_FALSE(comparison.explanation->order.has_value());
}

TEST(ReversedSums, AreNotThereWithoutASum) {
  const Comparison comparison = OfNode("s = Neg (t)", Row(), "float w = {1}");
  ASSERT_TRUE(comparison.explanation.has_value());
  EXPECT_FALSE(comparison.explanation->order.has_value());
  EXPECT_THAT(RenderTable(comparison), Not(HasSubstr("reverse order")));
}

}  // namespace
}  // namespace onnxcmp

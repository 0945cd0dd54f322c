#include "feed/made_up/standardization.h"

#include <cmath>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "feed/made_up/made_up_values.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Of input x.
std::optional<Standardization> Of(const std::string& graph) {
  const auto model = LoadModelFromText(
      absl::StrCat("<ir_version: 9, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 3]>\ng ", graph),
      testing::Registry(), {});
  EXPECT_TRUE(model.ok()) << model.status() << graph;
  if (!model.ok()) return std::nullopt;
  const auto scope = MakeScope((*model)->graph);
  for (const ValueInfo& input : (*model)->graph.inputs) {
    if (input.name == "x") return StandardizationOf(*scope, input);
  }
  return std::nullopt;
}

auto Near(double number) { return DoubleNear(number, 1e-4); }

TEST(StandardizationTest, FeaturesAreMovedAndScaled) {
  const char* const graphs[] = {
      "(float[n,2] x) => (float[n,2] y) <float[2] m = {10, -4}, float[2] s = {2, 8}> {"
      " d = Sub(x, m) y = Div(d, s) }",
      "(float[n,2] x) => (float[n,2] y) <float[1,2] m = {-5, 0.5}, float[2] s = {0.5, 0.125}> {"
      " d = Mul(x, s) y = Add(d, m) }",
      "(float[n,2] x) => (float[n,2] y) {"
      " y = ai.onnx.ml.Scaler<offset = [10.0, -4.0], scale = [0.5, 0.125]>(x) }",
      "(float[n,2] x) => (float[n,2] y) <float[2] g = {3, 1}, float[2] b = {7, 7},"
      " float[2] m = {10, -4}, float[2] v = {4, 64}> {"
      " i = Identity(x) y = BatchNormalization<epsilon = 0.0>(i, g, b, m, v) }"};
  for (const char* const graph : graphs) {
    const auto found = Of(graph);
    ASSERT_TRUE(found.has_value()) << graph;
    EXPECT_THAT(found->middle, ElementsAre(Near(10), Near(-4))) << graph;
    EXPECT_THAT(found->size, ElementsAre(Near(2), Near(8))) << graph;
  }
}

TEST(StandardizationTest, ImagesAreByChannel) {
  const auto found =
      Of("(float[n,2,h,w] x) => (float[n,2,h,w] y) <float[2,1,1] m = {100, 50},"
         " float[1,2,1,1] s = {20, 30}> { d = Sub(x, m) y = Div(d, s) }");
  ASSERT_TRUE(found.has_value());
  const Standardization::Around second = found->At({2, 2, 3, 4}, 12);
  EXPECT_EQ(second.middle, 50);
  EXPECT_NEAR(second.size, 30, 1e-4);
  EXPECT_EQ(found->At({2, 2, 3, 4}, 11).middle, 100);
  const auto bytes =
      Of("(float[n,3,h,w] x) => (float[n,3,h,w] y) <float s = {255}> { y = Div(x, s) }");
  ASSERT_TRUE(bytes.has_value());
  EXPECT_NEAR(bytes->At({1, 3, 2, 2}, 5).size, 255, 1e-3);
}

TEST(StandardizationTest, OtherFactorsAndSumsAreNone) {
  const char* const graphs[] = {
      // A bias, an attention's factor, a mask.
      "(float[n,2] x) => (float[n,2] y) <float[2] m = {10, -4}> { y = Add(x, m) }",
      "(float[n,2] x) => (float[n,2] y) <float s = {0.125}> { y = Mul(x, s) }",
      "(float[n,2] x) => (float[n,2] y) <float o = {1}, float s = {-10000}> {"
      " d = Sub(o, x) y = Mul(d, s) }",
      // Something else reads the input, too.
      "(float[n,2] x) => (float[n,2] y) <float[2] m = {10, -4}, float[2] s = {2, 8}> {"
      " d = Sub(x, m) e = Div(d, s) y = Add(e, x) }",
      // Nothing would be left of a number but its rounding.
      "(float[n,2] x) => (float[n,2] y) <float[2] m = {1e6, 0}, float[2] s = {1, 1}> {"
      " d = Sub(x, m) y = Div(d, s) }",
      "(float[n,2] x) => (float[n,2] y) <float[2] m = {1, 0}, float[2] s = {0, 1}> {"
      " d = Sub(x, m) y = Div(d, s) }"};
  for (const char* const graph : graphs) EXPECT_FALSE(Of(graph).has_value()) << graph;
}

TEST(StandardizationTest, NumbersLieAroundTheMiddles) {
  InputPurpose purpose;
  purpose.standard = Standardization{1, {1000, -20}, {50, 0.5}};
  ValueMaker maker(3, Regime::kUsual, 0);
  const auto made = maker.Make(DType::kFloat, {200, 2}, purpose, std::nullopt);
  ASSERT_TRUE(made.ok());
  double first = 0, second = 0, spread = 0;
  for (int i = 0; i < 200; ++i) {
    first += made->data<float>()[2 * i] / 200;
    second += made->data<float>()[2 * i + 1] / 200;
    spread += std::abs(made->data<float>()[2 * i] - 1000) / 200;
  }
  EXPECT_NEAR(first, 1000, 15);
  EXPECT_NEAR(second, -20, 0.15);
  EXPECT_GT(spread, 20);
}

}  // namespace
}  // namespace onnxcmp

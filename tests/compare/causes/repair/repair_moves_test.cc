// Nodes that give what the left has a step earlier, or in another shape: they are named, and not
// what reads them.
#include "compare/causes/repair/repair_moves.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/causes/cause_class.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Replaced;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A layer as exporters write it: a product of three axes, then a bias, then something else.
constexpr char kLayer[] = R"(g (float[2,3,4] x) => (float[2,2,6] y)
<float[4,4] w = {0.5, -0.25, 0.75, 1, -1, 0.3, 0.2, -0.6, 0.9, 0.1, -0.8, 0.4, 0.7, -0.5, 0.6, 0.35},
 float[4] bias = {0.5, -0.25, 0.75, 0.3}, int64[3] heads = {2, 2, 6}> {
  t = Tanh (x)
  product = MatMul (t, w)
  sum = Add (product, bias)
  h = Reshape (sum, heads)
  y = Exp (h)
})";

// The same as optimizers write it.
constexpr char kFused[] = R"(g (float[2,3,4] x) => (float[2,2,6] y)
<float[4,4] w = {0.5, -0.25, 0.75, 1, -1, 0.3, 0.2, -0.6, 0.9, 0.1, -0.8, 0.4, 0.7, -0.5, 0.6, 0.35},
 float[4] bias = {0.5, -0.25, 0.75, 0.3}, int64[3] heads = {2, 2, 6}, int64[2] rows = {-1, 4}> {
  u = Tanh (x)
  flat = Reshape (u, rows)
  q = Gemm (flat, w, bias)
  v = Reshape (q, heads)
  y = Exp (v)
})";

// A convolution and its activation.
constexpr char kPlain[] = R"(g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float[2,2,3,3] w = {0.5, -0.25, 0.75, 1, -1, 0.3, 0.2, -0.6, 0.9, 0.1, -0.8, 0.4, 0.7, -0.5, 0.6,
 0.35, 0.15, -0.45, -0.5, 0.25, -0.75, 0.9, 1, -0.3, -0.2, 0.65, -0.95, 0.15, 0.85, -0.4, -0.7,
 0.55, -0.6, -0.3, 0.1, 0.4}> {
  c = Conv <pads = [1,1,1,1]> (x, w)
  r = Relu (c)
  d = Conv <pads = [1,1,1,1]> (r, w)
  y = Add (d, x)
})";

Tensor Fed(const Shape& shape) {
  std::vector<float> elements;
  int64_t size = 1;
  for (const int64_t axis : shape) size *= axis;
  for (int i = 0; i < size; ++i) elements.push_back(0.29f * static_cast<float>(i * 7 % 17) - 2.1f);
  return Tensor::Of<float>(shape, elements);
}

// The results of wrong causes, left and right.
std::vector<std::pair<std::string, std::string>> WrongIn(const Shape& shape,
                                                         const std::string& left,
                                                         const std::string& right) {
  CompareOptions options;
  options.fail_on = FailOn::kCauses;
  const Comparison comparison =
      testing::CompareFedWith(Fed(shape), left, Fed(shape), right, options);
  std::vector<std::pair<std::string, std::string>> names;
  for (const Cause& cause : comparison.causes) {
    if (!IsWrong(cause)) continue;
    names.emplace_back(comparison.left.results[static_cast<size_t>(cause.left)].name,
                       comparison.right.results[static_cast<size_t>(cause.right)].name);
  }
  return names;
}

const Shape kRows = {2, 3, 4};
const Shape kImage = {1, 2, 4, 4};

TEST(RepairMoves, AProductOfRowsIsNoFault) {
  EXPECT_THAT(WrongIn(kRows, kLayer, kFused), IsEmpty());
  EXPECT_THAT(WrongIn(kRows, kFused, kLayer), IsEmpty());
}

TEST(RepairMoves, AProductOfRowsIsNamedAndNotItsReshape) {
  for (const char* wrong :
       {"Gemm <alpha = 1.25> (flat", "Gemm <transB = 1> (flat", "Gemm <beta = 0.5> (flat"}) {
    EXPECT_THAT(WrongIn(kRows, kLayer, Replaced(kFused, "Gemm (flat", wrong)),
                ElementsAre(Pair("sum", "q")))
        << wrong;
  }
}

TEST(RepairMoves, ABiasThatAProductHasLostIsMissingThere) {
  EXPECT_THAT(WrongIn(kRows, kLayer, Replaced(kFused, "(flat, w, bias)", "(flat, w)")),
              ElementsAre(Pair("sum", "q")));
}

// Where the bias has a node of its own nothing is wrong with the product.
TEST(RepairMoves, ANodeThatIsMissingIsToldAtItsReader) {
  const std::string without = absl::StrReplaceAll(
      kLayer, {{"  sum = Add (product, bias)\n", ""}, {"Reshape (sum", "Reshape (product"}});
  const auto causes = WrongIn(kRows, kLayer, without);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_NE(causes[0].second, "product");
}

TEST(RepairMoves, AnActivationThatAConvolutionHasLostIsMissingThere) {
  const std::string fused = absl::StrReplaceAll(
      kPlain, {{"c = Conv <pads = [1,1,1,1]> (x, w)\n  r = Relu (c)",
                "s = com.microsoft.FusedConv <pads = [1,1,1,1], activation = \"Relu\"> (x, w)"},
               {"Conv <pads = [1,1,1,1]> (r, w)", "Conv <pads = [1,1,1,1]> (s, w)"}});
  EXPECT_THAT(WrongIn(kImage, kPlain, fused), IsEmpty());
  EXPECT_THAT(WrongIn(kImage, kPlain, Replaced(fused, ", activation = \"Relu\"", "")),
              ElementsAre(Pair("r", "s")));
}

}  // namespace
}  // namespace onnxcmp

// Faults among results that have the same bits: layers whose bias is zero and whose scale is one, a
// product with zeros, a residual that takes nothing. The cause is where it is, and the only one.
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

std::string NumbersText(size_t count, std::mt19937* random) {
  std::normal_distribution<float> normal(0, 0.6f);
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppendFormat(&text, "%s%.3f", i == 0 ? "" : ", ", normal(*random));
  }
  return text + "}";
}

constexpr int kLayers = 3;

std::string Layers() {
  std::mt19937 random(3);
  std::string text =
      "g (float[6,4] x) => (float[6,4] y) <float e = {0.00001}, float[4] ones = {1, 1, "
      "1, 1}, float[8] zeros = {0, 0, 0, 0, 0, 0, 0, 0}";
  for (int i = 0; i < kLayers; ++i) {
    absl::StrAppend(&text, ", float[4,8] u", i, " = ", NumbersText(32, &random), ", float[8,4] d",
                    i, " = ", NumbersText(32, &random));
  }
  text += "> {\n";
  std::string x = "x";
  for (int i = 0; i < kLayers; ++i) {
    constexpr char kLayer[] = R"(
      square$ = Mul (@, @)
      mean$ = ReduceMean <keepdims = 1> (square$)
      more$ = Add (mean$, e)
      root$ = Sqrt (more$)
      inverse$ = Reciprocal (root$)
      normal$ = Mul (@, inverse$)
      scaled$ = Mul (normal$, ones)
      product$ = MatMul (scaled$, u$)
      up$ = Add (product$, zeros)
      gate$ = Sigmoid (up$)
      gated$ = Mul (up$, gate$)
      down$ = MatMul (gated$, d$)
      rest$ = Add (@, down$)
)";
    absl::StrAppend(&text, absl::StrReplaceAll(kLayer, {{"$", absl::StrCat(i)}, {"@", x}}));
    x = absl::StrCat("rest", i);
  }
  return text + "y = Identity (" + x + ")\n}";
}

// The left's names of the causes.
std::vector<std::string> CausesOf(const std::string& line, const std::string& other) {
  const std::string left = Layers();
  std::string right = left;
  const size_t at = right.find(line);
  if (at == std::string::npos) return {"no line " + line};
  right.replace(at, line.size(), other);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> x(24);
  for (float& number : x) number = normal(random);
  const Tensor given = Tensor::Of<float>({6, 4}, x);
  const Comparison comparison = testing::CompareFedWith(given, left, given, right);
  std::vector<std::string> names;
  for (const Cause& cause : comparison.causes) {
    names.push_back(comparison.left.results[Index(cause.left)].name);
  }
  return names;
}

TEST(CounterpartCauses, AreNamedByTheirPlace) {
  const struct {
    std::string line, other, cause;
  } cases[] = {
      {"scaled1 = Mul (normal1, ones)", "scaled1 = Add (normal1, ones)", "scaled1"},
      {"up1 = Add (product1, zeros)", "before = Add (product1, zeros)\nup1 = Neg (before)", "up1"},
      {"up2 = Add (product2, zeros)", "up2 = Mul (product2, zeros)", "up2"},
      {"down2 = MatMul (gated2, d2)", "nothing = Sub (d2, d2)\ndown2 = MatMul (gated2, nothing)",
       "d2"},
      {"down1 = MatMul (gated1, d1)", "nothing = Sub (d1, d1)\ndown1 = MatMul (gated1, nothing)",
       "d1"},
      {"inverse1 = Reciprocal (root1)", "inverse1 = Sqrt (root1)", "inverse1"},
      {"gated2 = Mul (up2, gate2)", "gated2 = Mul (gate2, gate2)", "gated2"},
  };
  for (const auto& a_case : cases) {
    EXPECT_THAT(CausesOf(a_case.line, a_case.other), ::testing::ElementsAre(a_case.cause))
        << a_case.other;
  }
}

TEST(CounterpartCauses, InputsOfSumsAndProductsHaveNoOrder) {
  EXPECT_THAT(CausesOf("gated1 = Mul (up1, gate1)", "gated1 = Mul (gate1, up1)"),
              ::testing::IsEmpty());
  EXPECT_THAT(CausesOf("gate1 = Sigmoid (up1)\n      gated1 = Mul (up1, gate1)",
                       "gate1 = Tanh (up1)\n      gated1 = Mul (gate1, up1)"),
              ::testing::ElementsAre("gate1"));
}

// The right counts the axis from the end. With the left's axis in that place, its lists of sizes
// would be lists that the left has as well, which proves nothing.
TEST(CounterpartCauses, AnAxisCountedFromTheEndIsNoCause) {
  std::vector<float> x(24);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.1f * static_cast<float>(i) + 0.37f;
  const Tensor given = Tensor::Of<float>({1, 2, 4, 1, 3}, x);
  const Comparison comparison =
      testing::CompareFedWith(given,
                              R"(g (float[1,2,4,1,3] x) => (float[1,2,12] y)
      <int64[1] a = {3}, int64[4] w = {1, 2, 4, -1}, int64[1] zero = {0}, int64[1] three = {3},
       int64[3] k = {1, 2, 12}, float two = {2}> {
        q = Squeeze(x, a)
        h = Reshape(q, w)
        o = Slice(w, zero, three)
        r = Reshape(h, k)
        m = Mul(r, two)
        y = Exp(m)
      })",
                              given,
                              R"(g (float[1,2,4,1,3] x) => (float[1,2,12] y)
      <int64[1] b = {-2}, int64[1] e = {-1}, int64[1] zero = {0}> {
        q = Squeeze(x, b)
        s = Shape(q)
        n = Slice(s, zero, b)
        c = Concat<axis = 0>(n, e)
        v = Reshape(q, c)
        t = Exp(v)
        y = Mul(t, t)
      })");
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_TRUE(comparison.causes.empty()) << comparison.causes.front().text;
}

}  // namespace
}  // namespace onnxcmp

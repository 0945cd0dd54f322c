// The same mathematics computed in another way, where rounding is large: nothing is at fault. With
// a mistake in it, the mistake is named.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

struct Rewrite {
  std::string name;
  std::string left;
  std::string right;
  std::string mistake;  // the right, with one
  double mean = 0;      // of the elements of x
  double spread = 1;
};

void PrintTo(const Rewrite& rewrite, std::ostream* out) { *out << rewrite.name; }

// 8 rows of 16 elements, irregular, about `mean`.
Tensor X(double mean, double spread) {
  std::vector<float> elements(128);
  for (size_t i = 0; i < elements.size(); ++i) {
    const double k = static_cast<double>(i);
    elements[i] =
        static_cast<float>(mean + spread * (std::sin(12.9898 * k) + std::cos(78.233 * k)));
  }
  return Tensor::Of<float>({8, 16}, elements);
}

class Conditioning : public ::testing::TestWithParam<Rewrite> {
 protected:
  static std::string Graph(const std::string& nodes) {
    return absl::StrCat(
        "(float[8,16] x) => (float[m,n] y) <int64[1] last = {1}, int64[1] first = {0}, "
        "float epsilon = {0.00001}, float one = {1}, float two = {2}, float small = {0.9}, "
        "int64[1] none = {0}, int64[1] half = {8}, int64[1] end = {16}> {",
        nodes, " y = Tanh (result) }");
  }
  static Comparison Compared(const std::string& left, const std::string& right) {
    const Rewrite& rewrite = GetParam();
    auto comparison =
        testing::CompareGraphs(Graph(left), Graph(right), {{"x", X(rewrite.mean, rewrite.spread)}});
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return comparison.ok() ? *std::move(comparison) : Comparison();
  }
  static std::vector<std::string> CausesOf(const Comparison& comparison) {
    std::vector<std::string> texts;
    for (const Cause& cause : comparison.causes) {
      texts.push_back(absl::StrCat(CauseKindName(cause.kind), " ", cause.text));
    }
    return texts;
  }
};

TEST_P(Conditioning, ARewriteIsRounding) {
  EXPECT_THAT(CausesOf(Compared(GetParam().left, GetParam().right)), ::testing::IsEmpty());
}

TEST_P(Conditioning, AMistakeInItIsNone) {
  const Comparison comparison = Compared(GetParam().left, GetParam().mistake);
  ASSERT_THAT(CausesOf(comparison), ::testing::Not(::testing::IsEmpty()));
  const CauseKind kind = comparison.causes.front().kind;
  EXPECT_TRUE(kind == CauseKind::kOperator || kind == CauseKind::kInitializer)
      << CauseKindName(kind);
}

// left: the variance of deviations from the mean.
constexpr char kVariance[] =
    "mean = ReduceMean (x, last) deviation = Sub (x, mean) square = Mul (deviation, deviation) "
    "variance = ReduceMean (square, last) shifted = Add (variance, epsilon) root = Sqrt (shifted) "
    "result = Div (deviation, root)";

std::string Moments(const std::string& variance) {
  return absl::StrCat(
      "mean = ReduceMean (x, last) deviation = Sub (x, mean) square = Mul (x, x) "
      "moment = ReduceMean (square, last) meansquare = Mul (mean, mean) ",
      variance,
      " shifted = Add (variance, epsilon) root = Sqrt (shifted) result = Div (deviation, root)");
}

std::vector<Rewrite> Rewrites() {
  return {
      {"VarianceFromMoments", kVariance, Moments("variance = Sub (moment, meansquare)"),
       Moments("variance = Sub (moment, mean)"), 1000},
      {"VarianceFromMomentsOfAMeanOf20", kVariance, Moments("variance = Sub (moment, meansquare)"),
       Moments("wide = Sub (moment, meansquare) variance = Mul (wide, small)"), 20},
      {"SoftmaxWithoutTheMaximum", "result = Softmax (x)",
       "e = Exp (x) sum = ReduceSum (e, last) result = Div (e, sum)",
       "e = Exp (x) sum = ReduceSum (e, first) result = Div (e, sum)", 40, 10},
      {"LogSumExp", "result = ReduceLogSumExp (x, last)",
       "e = Exp (x) sum = ReduceSum (e, last) result = Log (sum)",
       "e = Exp (x) sum = ReduceMean (e, last) result = Log (sum)", 0, 0.01},
      {"SumInAnotherOrder", "result = ReduceSum (x, last)",
       "a = Slice (x, none, half, last) b = Slice (x, half, end, last) ab = Add (b, a) "
       "result = ReduceSum (ab, last)",
       "a = Slice (x, none, half, last) b = Slice (x, half, end, last) ab = Sub (b, a) "
       "result = ReduceSum (ab, last)",
       0, 1000},
      {"SumThatCancels",
       "negative = Neg (x) swapped = Transpose <perm = [1, 0]> (negative) "
       "back = Transpose <perm = [1, 0]> (swapped) a = ReduceSum (x, last) b = ReduceSum (back, "
       "last) "
       "s = Sin (x) c = ReduceSum (s, last) ab = Add (a, c) result = Add (ab, b)",
       "s = Sin (x) result = ReduceSum (s, last)", "s = Cos (x) result = ReduceSum (s, last)",
       1000},
      {"NormOfTwo", "norm = ReduceL2 (x, last) result = Div (x, norm)",
       "square = Mul (x, x) sum = ReduceSum (square, last) norm = Sqrt (sum) "
       "factor = Reciprocal (norm) result = Mul (x, factor)",
       "square = Mul (x, x) sum = ReduceMean (square, last) norm = Sqrt (sum) "
       "factor = Reciprocal (norm) result = Mul (x, factor)",
       100},
      {"NormalizationOfALargeMean",
       "ones = ConstantOfShape <value = float[1] {1}> (end) "
       "result = LayerNormalization <epsilon = 0.00001> (x, ones)",
       kVariance,
       "mean = ReduceMean (x, last) deviation = Sub (x, mean) square = Mul (deviation, deviation) "
       "variance = ReduceMean (square, last) shifted = Add (variance, epsilon) root = Sqrt "
       "(shifted) "
       "result = Div (x, root)",
       1000},
      {"OneMinusCosine", "cosine = Cos (x) result = Sub (one, cosine)",
       "halved = Div (x, two) sine = Sin (halved) square = Mul (sine, sine) result = Mul (two, "
       "square)",
       "halved = Div (x, two) sine = Sin (halved) square = Mul (sine, sine) "
       "result = Mul (small, square)",
       0, 1e-3},
      {"LogarithmNearOne", "more = Add (x, one) result = Log (more)",
       "root = Sqrt (one) shifted = Add (x, root) square = Mul (shifted, shifted) log = Log "
       "(square) "
       "result = Div (log, two)",
       "root = Sqrt (one) shifted = Add (x, root) square = Mul (shifted, shifted) log = Log "
       "(square) "
       "result = Mul (log, two)",
       0, 1e-4},
  };
}

INSTANTIATE_TEST_SUITE_P(Rewrites, Conditioning, ::testing::ValuesIn(Rewrites()),
                         [](const auto& info) { return info.param.name; });

// (a - b)(a + b) against aa - bb, of numbers about 1000 that differ by about 0.001.
class DifferenceOfSquares : public ::testing::Test {
 protected:
  static Comparison Compared(const std::string& right) {
    const Tensor a = X(1000, 1);
    std::vector<float> b(a.AsSpan<float>().begin(), a.AsSpan<float>().end());
    for (size_t i = 0; i < b.size(); ++i) b[i] += 1e-3f * static_cast<float>(i % 7);
    const std::string left = "aa = Mul (a, a) bb = Mul (b, b) d = Sub (aa, bb)";
    auto comparison = testing::CompareGraphs(Graph(left), Graph(right),
                                             {{"a", a}, {"b", Tensor::Of<float>({8, 16}, b)}});
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return comparison.ok() ? *std::move(comparison) : Comparison();
  }
  static std::string Graph(const std::string& nodes) {
    return absl::StrCat("(float[8,16] a, float[8,16] b) => (float[8,16] y) {", nodes,
                        " y = Tanh (d) }");
  }
};

TEST_F(DifferenceOfSquares, IsRoundingAndThatIsSaid) {
  const Comparison comparison =
      Compared("minus = Sub (a, b) plus = Add (a, b) d = Mul (minus, plus)");
  EXPECT_FALSE(comparison.outputs.agree());
  EXPECT_THAT(comparison.causes, ::testing::IsEmpty());
  EXPECT_THAT(comparison.notes,
              ::testing::Contains(::testing::HasSubstr("rounding explains the difference")));
}

// It is no more than 64 times what rounding does to the left, and as large in double.
TEST_F(DifferenceOfSquares, AnotherSignIsNamed) {
  const Comparison comparison =
      Compared("minus = Sub (b, a) plus = Add (a, b) d = Mul (minus, plus)");
  ASSERT_THAT(comparison.causes, ::testing::SizeIs(1));
  EXPECT_EQ(comparison.causes[0].kind, CauseKind::kOperator);
}

// 16 bits leave so much to rounding that some percent are near.
TEST(HalfPrecision, AnEpsilonOfSomePercentIsNamed) {
  constexpr char kFull[] = R"((float[8,16] x) => (float[8,16] y) {
    one = Constant <value_float = 1.0> ()
    size = Constant <value_ints = [16]> ()
    ones = Expand (one, size)
    b = LayerNormalization <epsilon = 0.00001> (x, ones)
    y = Neg (b)
  })";
  const std::string half =
      absl::StrReplaceAll(kFull, {{"epsilon = 0.00001> (x, ones)", "epsilon = 0.1> (h, halves)"},
                                  {"one = Constant", "h = Cast <to = 10> (x) one = Constant"},
                                  {"b = Layer", "halves = Cast <to = 10> (ones) b = Layer"},
                                  {"y = Neg (b)", "c = Neg (b) y = Cast <to = 1> (c)"}});
  const auto comparison = testing::CompareGraphs(kFull, half, {{"x", X(0, 1)}});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ASSERT_THAT(comparison->causes, ::testing::SizeIs(1));
  EXPECT_THAT(comparison->causes[0].text, ::testing::HasSubstr("epsilon: 1e-05 | 0.1"));
}

// A layer that reads pixels as whole numbers, with a factor behind it. Weights that sum to nothing
// leave little of them; the folded ones were rounded.
Comparison ComparedPixels(const std::string& folded, bool right_is_folded) {
  const std::string layer =
      "g (float[2,4] x) => (float[2,3] y) <float[4,3] w = {0.13, -0.13, 0.64, 0.1, -0.54, 0.36, "
      "1.3, 0.95, -0.7, -1.53, -0.28, -0.3}, float[3] s = {1.16, 0.84, 0.6}> "
      "{ p = MatMul (x, w)  a = Mul (p, s)  y = Tanh (a) }";
  const std::string other = absl::StrCat("g (float[2,4] x) => (float[2,3] y) <float[4,3] w = {",
                                         folded, "}> { a = MatMul (x, w)  y = Tanh (a) }");
  const Tensor x = Tensor::Of<float>({2, 4}, {199, 203, 200, 197, 202, 202, 202, 198});
  return right_is_folded ? testing::CompareFedWith(x, layer, x, other)
                         : testing::CompareFedWith(x, other, x, layer);
}

TEST(FoldedWeights, OfWholeNumbersAreRounded) {
  for (const bool right_is_folded : {true, false}) {
    const std::string rest = ", -0.1092, 0.384, 0.116, -0.4536, 0.216, 1.508, 0.798, -0.42, ";
    const Comparison comparison =
        ComparedPixels(absl::StrCat("0.1508", rest, "-1.7748, -0.2352, -0.18"), right_is_folded);
    EXPECT_EQ(comparison.verdict(), Verdict::kClose);
    EXPECT_THAT(comparison.causes, ::testing::IsEmpty());
    EXPECT_THAT(
        ComparedPixels(absl::StrCat("0.1508", rest, "-1.7748, -0.2362, -0.18"), right_is_folded)
            .causes,
        ::testing::Not(::testing::IsEmpty()));
  }
}

}  // namespace
}  // namespace onnxcmp

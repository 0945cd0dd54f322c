// What is said of a cause: how values are related, what a node reads instead, and nothing that is
// no cause.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/causes/cause_truth.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::GivenX;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kWeights[] = R"(
  float[4,4] a = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                  0.45},
  float[4,4] b = {0.2, 0.7, -0.3, 0.1, 0.6, -0.4, 0.9, 0.25, -0.8, 0.15, 0.55, -0.2, 0.3, 0.65, -0.1,
                  0.05})";

Comparison ComparedWith(const std::string& left, const std::string& right,
                        const Tensor& x = GivenX()) {
  return testing::CompareFedWith(x, left, x, right);
}

std::string TwoLayers(const std::string& nodes) {
  return absl::StrCat("g (float[2,4] x) => (float[2,4] y) <", kWeights, "> {", nodes, "}");
}

std::string FirstText(const Comparison& comparison) {
  return comparison.causes.empty() ? "none" : comparison.causes[0].text;
}

std::string FirstName(const Comparison& comparison) {
  return comparison.causes.empty()
             ? "none"
             : comparison.right.results[Index(comparison.causes[0].right)].name;
}

TEST(CauseWords, TellAFactor) {
  const std::string model =
      TwoLayers("p = MatMul (x, a)\n t = Tanh (p)\n q = MatMul (t, b)\n y = Sin (q)");
  const std::string halved = TwoLayers(
      "p = MatMul (x, a)\n half = Constant <value_float = 0.5> ()\n r = Mul (p, half)\n"
      "t = Tanh (r)\n q = MatMul (t, b)\n y = Sin (q)");
  EXPECT_THAT(FirstText(ComparedWith(model, halved)), HasSubstr("right = 0.5 * left"));
}

TEST(CauseWords, TellConstantsByTheirShapesOrTwoValues) {
  const auto model = [](const char* constant) {
    return absl::StrCat("g (float[2,4] x) => (float[2,4] y) <", constant, "> { y = Add (x, w) }");
  };
  const std::string left = model("float[4] w = {1, 2, 3, 4}");
  EXPECT_EQ(FirstText(ComparedWith(left, model("float[2,1] w = {1, 2}"))),
            "the constants have another shape [4] | [2,1]: [1,2,3,4] | [1,2]");
  EXPECT_EQ(FirstText(ComparedWith(model("float[2,4] w = {1, 2, 3, 4, 5, 6, 7, 8}"),
                                   model("float[2,4] w = {9, 1, 2, 5, 0, 1, 3, 2}"))),
            "the constants differ by up to 8: 1 | 9 at [0,0]");
}

TEST(CauseWords, TellNoDistanceOfStringsAndBooleans) {
  const auto chosen = [](const char* constant) {
    return absl::StrCat("g (float[2,4] x) => (string[2] y) <", constant,
                        "> { i = ArgMax <axis = 1, keepdims = 0> (x)\n y = Gather (s, i) }");
  };
  EXPECT_EQ(FirstText(ComparedWith(chosen("string[4] s = {\"a\", \"b\", \"c\", \"d\"}"),
                                   chosen("string[4] s = {\"b\", \"c\", \"d\", \"a\"}"))),
            "the constants differ: \"a\" | \"b\" at [0]");
  const auto kept = [](const char* constant) {
    return absl::StrCat("g (float[2,4] x) => (float[2,4] y) <", constant,
                        ", float z = {9}> { y = Where (m, x, z) }");
  };
  EXPECT_EQ(FirstText(ComparedWith(kept("bool[2,4] m = {1, 1, 0, 1, 0, 1, 1, 1}"),
                                   kept("bool[2,4] m = {1, 1, 0, 1, 0, 0, 1, 1}"))),
            "the constants differ: of 8 elements only [1,1] differs: true | false");
}

// Its only reader gives another result or shape for it, too.
TEST(CauseWords, NameAConstantAndNotItsCast) {
  const auto model = [](const char* constant) {
    return absl::StrCat("g (float[2,4] x) => (float[2,4] y) <", constant,
                        "> { wide = Cast <to = 1> (w)\n y = Mul (x, wide) }");
  };
  const Comparison comparison =
      ComparedWith(model("int8[4] w = {1, 2, 3, 4}"), model("int8[1] w = {2}"));
  EXPECT_EQ(FirstName(comparison), "w");
  EXPECT_EQ(FirstText(comparison), "the constants have another shape [4] | [1]: [1,2,3,4] | 2");
}

TEST(CauseWords, TellWhichConstantsAreExchanged) {
  const std::string model = TwoLayers("p = MatMul (x, a)\n q = MatMul (p, b)\n y = Tanh (q)");
  // The names are as they were, the weights are exchanged.
  std::string other = model;
  const size_t a = other.find("float[4,4] a");
  const size_t b = other.find("float[4,4] b");
  other[a + 11] = 'b';
  other[b + 11] = 'a';
  const Comparison comparison = ComparedWith(model, other);
  ASSERT_THAT(comparison.causes, Not(IsEmpty()));
  std::string all;
  for (const Cause& cause : comparison.causes) absl::StrAppend(&all, cause.text, "\n");
  EXPECT_THAT(all, AllOf(HasSubstr("the right's value is the left's 'a'"),
                         HasSubstr("the right's value is the left's 'b'")));
}

TEST(CauseWords, LeaveOutAttributesThatAreTheDefault) {
  const auto model = [](const std::string& attributes) {
    return "g (float[2,4] x) => (float[2,4] y) <float[4] s = {1, 2, 3, 4}> {\n n = "
           "LayerNormalization <" +
           attributes + "> (x, s)\n y = Tanh (n) }";
  };
  const Comparison comparison =
      ComparedWith(model("axis = -1, epsilon = 0.25, stash_type = 1"), model("epsilon = 0.5"));
  EXPECT_THAT(FirstText(comparison), HasSubstr("attribute epsilon: 0.25 | 0.5"));
  EXPECT_THAT(FirstText(comparison), Not(HasSubstr("axis")));
  EXPECT_THAT(FirstText(comparison), Not(HasSubstr("stash_type")));
  EXPECT_THAT(FirstText(ComparedWith(model("epsilon = 0.25"), model("axis = -1"))),
              HasSubstr("attribute epsilon: 0.25 | 1e-05 (default)"));
}

TEST(CauseWords, AnotherShapeOfTheSameElementsIsACause) {
  const auto model = [](const std::string& shape) {
    return "g (float[2,4] x) => (float[N,M,K] y) <int64[3] s = {" + shape +
           "}> {\n t = Tanh (x)\n r = Reshape (t, s)\n y = Sin (r) }";
  };
  const Comparison comparison = ComparedWith(model("2, 2, 2"), model("4, 1, 2"));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(FirstName(comparison), "r");
  EXPECT_THAT(FirstText(comparison),
              HasSubstr("gives the left's elements in another shape: 2x2x2 | 4x1x2"));
  EXPECT_THAT(comparison.causes, SizeIs(1));
}

TEST(CauseWords, SameOutputsHaveNoCause) {
  const auto model = [](const std::string& slope) {
    return "g (float[2,4] x) => (float[2,4] y) {\n s = LeakyRelu <alpha = " + slope +
           "> (x)\n y = Relu (s) }";
  };
  const Comparison comparison = ComparedWith(model("0.1"), model("0.3"));
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_THAT(comparison.causes, IsEmpty());
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("without an effect on the outputs, 's' | 's'")));
}

TEST(CauseWords, ANodeThatOverflowsIsTheCause) {
  const auto norm = [](const std::string& code) {
    return "g (float[2,4] x) => (float[2,4] y) {\n"
           "given = Constant <value_float = 0.00001> ()\n e = Cast <to = " +
           code + "> (given)\n h = Cast <to = " + code + "> (x)\n square = Mul (h, h)\n" +
           "mean = ReduceMean <keepdims = 1> (square)\n more = Add (mean, e)\n" +
           "root = Sqrt (more)\n n = Div (h, root)\n y = Cast <to = 1> (n) }";
  };
  const Tensor great = Tensor::Of<float>({2, 4}, {300, -1, 20, 5, -1.5f, 400, 2, -0.5f});
  const Comparison comparison = ComparedWith(norm("1"), norm("10"), great);
  EXPECT_EQ(FirstName(comparison), "square");
  EXPECT_THAT(FirstText(comparison),
              HasSubstr("90000 overflows float16 at [0,0], the right has inf"));
  ASSERT_THAT(comparison.right_not_finite.origins, Not(IsEmpty()));
}

TEST(CauseWords, AMaskBeyondHalfPrecisionIsNoCause) {
  const auto masked = [](const std::string& code, const std::string& number) {
    return "g (float[2,4] x) => (float[2,4] y) {\n given = Constant <value_float = " + number +
           "> ()\n least = Cast <to = " + code +
           "> (given)\n unit = Constant <value_float = 1.0> ()\n" + "one = Cast <to = " + code +
           "> (unit)\n s = Cast <to = " + code + "> (x)\n zero = Sub (one, one)\n" +
           "positive = Greater (s, zero)\n p = Cast <to = " + code + "> (positive)\n" +
           "hidden = Sub (one, p)\n mask = Mul (hidden, least)\n scores = Add (s, mask)\n" +
           "w = Softmax (scores)\n y = Cast <to = 1> (w) }";
  };
  const Comparison comparison = ComparedWith(masked("1", "-3.4e38"), masked("10", "-65504.0"));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

// A node is not at fault for what it reads, whatever the other side fused it with.
TEST(CauseWords, TellInputsOfAFusedNodeThatAreExchanged) {
  const std::string head =
      "(float[2,4] x) => (float[4,4] y) "
      "<float[2,4] z = {0.2, 0.7, -0.3, 0.1, 0.6, -0.4, 0.9, 0.25}> {";
  const auto comparison = testing::CompareGraphs(
      head + "t = Transpose (x) p = MatMul (t, z) y = Sin (p) }",
      head + "p = com.microsoft.FusedMatMul <transA = 1> (z, x) y = Sin (p) }",
      testing::GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(FirstName(*comparison), "p");
  EXPECT_THAT(FirstText(*comparison), HasSubstr("reads inputs 0 and 1 in another order"));
}

TEST(CauseWords, TellAttributesOfTheNodeBefore) {
  const std::string head = absl::StrCat("(float[2,4] x) => (float[2,4] y) <", kWeights, "> {");
  const std::string before = head +
                             "p = com.microsoft.FusedMatMul <alpha = 0.5> (x, a)"
                             "y = Sigmoid (p) }";
  const std::string alone = head + "y = com.microsoft.FusedMatMul <alpha = 0.25> (x, a) }";
  const auto comparison = testing::CompareGraphs(before, alone, testing::GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_THAT(FirstText(*comparison), HasSubstr("attribute alpha: 0.5 | 0.25"));
  const auto exchanged = testing::CompareGraphs(alone, before, testing::GivenFeeds());
  ASSERT_TRUE(exchanged.ok()) << exchanged.status();
  EXPECT_THAT(FirstText(*exchanged), HasSubstr("attribute alpha: 0.25 | 0.5"));
}

TEST(CauseWords, TellNumbersOfAFusedActivation) {
  const std::string head = absl::StrCat("(float[2,4] x) => (float[2,4] y) <", kWeights, "> {");
  const std::string alone =
      absl::StrCat(head, "p = Gemm (x, a) q = LeakyRelu <alpha = 0.25> (p) y = Sin (q) }");
  const std::string fused = absl::StrCat(
      head,
      "q = com.microsoft.FusedGemm <activation = \"LeakyRelu\", activation_alpha = 0.5> "
      "(x, a) y = Sin (q) }");
  const auto comparison = testing::CompareGraphs(alone, fused, testing::GivenFeeds());
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_THAT(FirstText(*comparison), HasSubstr("attribute alpha | activation_alpha: 0.25 | 0.5"));
  const auto exchanged = testing::CompareGraphs(fused, alone, testing::GivenFeeds());
  ASSERT_TRUE(exchanged.ok()) << exchanged.status();
  EXPECT_THAT(FirstText(*exchanged), HasSubstr("attribute activation_alpha | alpha: 0.5 | 0.25"));
}

TEST(CauseWords, WhatStaysInDoubleIsNotSaidToAgree) {
  Cause cause;
  cause.local.emplace();
  cause.local->values.max_absolute = 1.6e-5;
  cause.truth.emplace();
  cause.apart = 1.6e-5;
  cause.most_apart = 1.6e-5;
  EXPECT_EQ(TruthText(cause), "in double they still differ by up to 1.6e-05");
  cause.apart = cause.most_apart = 1e-9;
  EXPECT_EQ(TruthText(cause), "in double both agree");
}

}  // namespace
}  // namespace onnxcmp

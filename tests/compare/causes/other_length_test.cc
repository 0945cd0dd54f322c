// Slices and splits that give another number of elements than the left's, so that all that follows
// has another shape or is another result of the left.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Tensor SequenceX() {
  std::vector<float> elements;
  for (int i = 0; i < 24; ++i) elements.push_back(0.31f * static_cast<float>(i * 5 % 17) - 2.03f);
  return Tensor::Of<float>({1, 6, 4}, elements);
}

std::string Sequence(const std::string& constants, const std::string& nodes) {
  return absl::StrCat(
      "g (float[1,6,4] x) => (float[A,B,C] y) <float[4,3] w = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, "
      "0.8, -0.1, 0.9, 0.2, -0.7, 0.4}, float[4,4] u = {0.2, 0.7, -0.3, 0.1, 0.6, -0.4, 0.9, 0.25, "
      "-0.8, 0.15, 0.55, -0.2, 0.3, 0.65, -0.1, 0.05}, int64[1] axis = {1}",
      constants, "> {\n", nodes, "}");
}

Comparison ComparedSequences(const std::string& left, const std::string& right) {
  return testing::CompareFedWith(SequenceX(), left, SequenceX(), right);
}

std::string FirstOf(const Comparison& comparison) {
  return comparison.causes.empty()
             ? "none"
             : comparison.right.results[Index(comparison.causes[0].right)].name;
}

// Of all positions it is what it reads, to the last bit.
TEST(OtherLength, ASliceThatTakesAllIsNamed) {
  const std::string model =
      Sequence(", int64[1] from = {-1}, int64[1] to = {99}",
               "t = MatMul (x, u)\n h = Tanh (t)\n last = Slice (h, from, to, axis)\n"
               "p = MatMul (last, w)\n y = Sin (p)");
  const Comparison comparison =
      ComparedSequences(model, absl::StrReplaceAll(model, {{"from = {-1}", "from = {0}"}}));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(FirstOf(comparison), AnyOf("last", "from"));
  EXPECT_THAT(comparison.notes, Not(Contains(HasSubstr("could be paired"))));
}

TEST(OtherLength, ASliceThatTakesOneMoreIsNamed) {
  const std::string model =
      Sequence(", int64[1] from = {1}, int64[1] to = {4}",
               "t = MatMul (x, u)\n h = Tanh (t)\n some = Slice (h, from, to, axis)\n"
               "p = MatMul (some, w)\n y = Sin (p)");
  const Comparison comparison =
      ComparedSequences(model, absl::StrReplaceAll(model, {{"to = {4}", "to = {5}"}}));
  EXPECT_THAT(FirstOf(comparison), AnyOf("some", "to"));
}

TEST(OtherLength, TheSamePositionsInOtherNumbersAreNoFault) {
  const std::string model =
      Sequence(", int64[1] from = {2}, int64[1] to = {6}",
               "t = MatMul (x, u)\n h = Tanh (t)\n some = Slice (h, from, to, axis)\n"
               "p = MatMul (some, w)\n y = Sin (p)");
  const Comparison comparison = ComparedSequences(
      model,
      absl::StrReplaceAll(model, {{"from = {2}", "from = {-4}"}, {"to = {6}", "to = {99}"}}));
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

// What is empty leaves the other parts of a concatenation, and they are results of the left.
TEST(OtherLength, ASliceThatTakesNothingIsNamed) {
  const std::string model = Sequence(
      ", int64[1] from = {0}, int64[1] to = {-1}, float[1,1,4] nothing = {0, 0, 0, 0}, "
      "float[4] mix = {0.5, 0.25, 0.75, 1.5}",
      "h = Tanh (x)\n before = Slice (h, from, to, axis)\n"
      "shifted = Concat <axis = 1> (nothing, before)\n part = Mul (shifted, mix)\n"
      "sum = Add (h, part)\n p = MatMul (sum, w)\n y = Sin (p)");
  const Comparison comparison =
      ComparedSequences(model, absl::StrReplaceAll(model, {{"to = {-1}", "to = {0}"}}));
  EXPECT_THAT(FirstOf(comparison), AnyOf("before", "to"));
}

TEST(OtherLength, PartsOfOtherSizesThatAreExchangedAreNamed) {
  const auto model = [](const std::string& outputs) {
    return Sequence(", int64[2] sizes = {3, 1}, int64[1] of_each = {2}",
                    "t = MatMul (x, u)\n " + outputs +
                        " = Split <axis = 2> (t, sizes)\n more = Relu (wide)\n"
                        "less = Sigmoid (narrow)\n a = ReduceSum <keepdims = 1> (more, of_each)\n"
                        "b = ReduceSum <keepdims = 1> (less, of_each)\n"
                        "y = Concat <axis = 2> (a, b)");
  };
  const Comparison comparison = ComparedSequences(model("wide, narrow"), model("narrow, wide"));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(FirstOf(comparison), AnyOf("wide", "narrow"));
}

// Of one value the left takes slices, the right splits it, at another place.
TEST(OtherLength, ASplitInPlaceOfSlicesIsNamed) {
  const std::string left =
      Sequence(", int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}",
               "t = MatMul (x, u)\n h = Tanh (t)\n a = Slice (h, zero, two, two)\n"
               "b = Slice (h, two, four, two)\n n = Neg (b)\n c = Concat <axis = 2> (n, a)\n"
               "p = MatMul (c, w)\n y = Sin (p)");
  const auto right = [](const std::string& sizes) {
    return Sequence(", int64[2] sizes = {" + sizes + "}",
                    "t = MatMul (x, u)\n h = Tanh (t)\n a, b = Split <axis = 2> (h, sizes)\n"
                    "n = Neg (b)\n c = Concat <axis = 2> (n, a)\n"
                    "p = MatMul (c, w)\n y = Sin (p)");
  };
  EXPECT_THAT(FirstOf(ComparedSequences(left, right("1, 3"))), AnyOf("a", "b", "sizes"));
  EXPECT_THAT(ComparedSequences(left, right("2, 2")).causes, IsEmpty());
}

// The right has its axes in another order, so that no result of the left is what it selects.
TEST(OtherLength, AnIndexInAnotherLayoutIsNamed) {
  const std::string left =
      Sequence(", int64 one = {1}",
               "t = MatMul (x, u)\n h = Tanh (t)\n"
               "s = Gather <axis = 1> (h, one)\n r = Transpose <perm = [1, 0]> (s)\n"
               "e = Sin (r)\n y = Unsqueeze (e, axis)");
  const auto right = [](const std::string& index) {
    return Sequence(", int64 at = {" + index + "}",
                    "t = MatMul (x, u)\n h = Tanh (t)\n m = Transpose <perm = [2, 1, 0]> (h)\n"
                    "k = Gather <axis = 1> (m, at)\n e = Sin (k)\n y = Unsqueeze (e, axis)");
  };
  EXPECT_THAT(FirstOf(ComparedSequences(left, right("2"))), AnyOf("k", "at"));
  EXPECT_THAT(ComparedSequences(left, right("1")).causes, IsEmpty());
}

// A product with its normalization, and the product that both are folded into: of the numbers of
// one neither is the other's.
TEST(OtherLength, AProductThatANormalizationIsFoldedIntoIsNoFault) {
  const std::string left =
      "g (float[3,2] x) => (float[3,2] y) <float[2,2] w = {0.5, -0.25, 0.75, 1.5}, float[2] b = "
      "{0.5, -1}, float[2] scale = {2, 0.5}, float[2] beta = {0.25, 1}, float[2] mean = {0.5, 0.5},"
      " float[2] variance = {0.25, 1}> {\n"
      "t = MatMul (x, w)\n s = Add (t, b)\n"
      "y = BatchNormalization <epsilon = 0.0> (s, scale, beta, mean, variance) }";
  const std::string right =
      "g (float[3,2] x) => (float[3,2] y) <float[2,2] w = {2, -0.125, 3, 0.75}, float[2] b = "
      "{0.25, 0.25}> {\n t = MatMul (x, w)\n y = Add (t, b) }";
  const Tensor x = Tensor::Of<float>({3, 2}, {0.3F, -0.7F, 1.1F, 0.6F, -1.3F, 0.9F});
  const Comparison comparison = testing::CompareFedWith(x, left, x, right);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

// A Gather that is given the left's index gives the left's result, but the nodes after it take
// another one: what picks boxes of one image only is at fault, and not its index.
TEST(OtherLength, AnIndexOfAnotherLengthThatMendsNothingIsNoFault) {
  const auto model = [](const std::string& nodes) {
    return absl::StrCat(
        "g (float[2,4] x) => (float[2,4] y) <int64[2] all = {0, 2}, int64 last = {2}, int64 zero = "
        "{0}, int64[1] axis = {2}, int64[2,2] image = {0, 0, 1, 0}> {\n"
        "s = Sin (x)\n boxes = Unsqueeze (s, axis)\n best = ArgMax <axis = 1> (x)\n"
        "found = Concat <axis = 1> (image, best)\n",
        nodes, "p = Cast <to = 1> (found)\n y = Concat <axis = 1> (p, kept) }");
  };
  const std::string left =
      model("at = Gather <axis = 1> (found, all)\n kept = GatherND (boxes, at)\n");
  const std::string right = model(
      "at = Gather <axis = 1> (found, last)\n first = Gather <axis = 0> (boxes, zero)\n"
      "kept = Gather <axis = 0> (first, at)\n");
  const Comparison comparison =
      testing::CompareFedWith(testing::GivenX(), left, testing::GivenX(), right);
  EXPECT_EQ(FirstOf(comparison), "kept");
  EXPECT_EQ(comparison.causes.size(), 1);
}

std::string Squares(const std::string& nodes) {
  return absl::StrCat("g (float[1,6,4] x) => (float[A,B,C] y, float[D,E,F] z) {\n", nodes, "}");
}

// Nothing follows that could be paired.
TEST(OtherLength, TheLastNodeOfAnotherShapeIsNamed) {
  const std::string left = Squares("h = Tanh (x)\n z = Sin (h)\n a = Identity (h)\n y = Relu (a)");
  const auto compared = [&](const std::string& end) {
    return ComparedSequences(left, Squares("h = Tanh (x)\n z = Sin (h)\n" + end));
  };
  const Comparison twice = compared("a = Relu (h)\n y = Concat <axis = 1> (a, a)");
  EXPECT_EQ(twice.verdict(), Verdict::kDifferent);
  EXPECT_EQ(FirstOf(twice), "y");
  EXPECT_THAT(twice.notes, Not(Contains(HasSubstr("no cause"))));
  EXPECT_THAT(twice.notes, Not(Contains(HasSubstr("do not explain all"))));
  const Comparison before =
      compared("c = Concat <axis = 2> (h, h)\n a = Identity (c)\n y = Relu (a)");
  EXPECT_EQ(FirstOf(before), "c");
}

// A sum over an axis that stays, which a sum of another shape then spreads.
TEST(OtherLength, AnAxisThatStaysAndSpreadsIsNamed) {
  const auto model = [](const std::string& keeps) {
    return Sequence(", int64[1] last = {2}",
                    "s = ReduceSum <keepdims = 0> (x, last)\n t = ReduceSum <keepdims = " + keeps +
                        "> (x, last)\n y = Add (s, t)");
  };
  EXPECT_EQ(FirstOf(ComparedSequences(model("0"), model("1"))), "t");
}

// The parts of a sequence are in another order.
TEST(OtherLength, OperatorsOnSequencesAreNamed) {
  const auto model = [](const std::string& collects, const std::string& end) {
    return Sequence(", int64 zero = {0}",
                    "a = MatMul (x, w)\n b = Tanh (x)\n e = SequenceEmpty ()\n"
                    "d = SequenceInsert (e, a)\n" +
                        collects + end);
  };
  const std::string joined = "c = ConcatFromSequence <axis = 2> (q)\n y = Softmax (c)";
  const std::string behind = "q = SequenceInsert (d, b)\n";
  const std::string before = "q = SequenceInsert (d, b, zero)\n";
  EXPECT_EQ(FirstOf(ComparedSequences(model(behind, joined), model(before, joined))), "q");
  EXPECT_EQ(FirstOf(ComparedSequences(model("q = SequenceConstruct (a, b)\n", joined),
                                      model("q = SequenceConstruct (b, a)\n", joined))),
            "q");
  EXPECT_THAT(
      ComparedSequences(model(behind, joined), model("q = SequenceConstruct (a, b)\n", joined))
          .causes,
      IsEmpty());
}

}  // namespace
}  // namespace onnxcmp

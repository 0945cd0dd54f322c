// Bounds, comparisons that choose, sizes and powers: each rule beside a fault that it must not
// take.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::Constant;
using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfBodies;
using testing::ProofOfModels;

const char kZero[] = "zero = Constant<value_float = 0.0>() ";

TEST(Bounds, AreTheSameInAnyOrder) {
  const std::string limits = kZero + Constant("six", "6.0");
  const std::string clip = limits + "y = Clip(x, zero, six)";
  const ProofCase cases[] = {
      {clip, limits + "a = Min(x, six) y = Max(a, zero)",
       limits + "a = Min(x, zero) y = Max(a, six)"},
      {clip, limits + "a = Relu(x) y = Min(a, six)", limits + "a = Abs(x) y = Min(a, six)"},
      {clip, limits + "a = Max(zero, x) b = Min(a, six) y = Relu(b)",
       limits + "a = Max(zero, x) b = Min(a, six) y = Max(b, six)"},
      {"y = Abs(x)", "n = Neg(x) y = Max(x, n)", "n = Neg(x) y = Min(x, n)"},
  };
  ExpectProofs(cases);
}

// Each of them takes its input twice: what it is the greatest of must not double.
TEST(Bounds, OfALongChainAreFew) {
  for (const char* const op_type : {"Max", "Min"}) {
    std::string chain = absl::StrCat("v0 = ", op_type, "(x, r) ");
    for (int i = 0; i < 60; ++i) {
      absl::StrAppend(&chain, "v", i + 1, " = ", op_type, "(v", i, ", v", i, ") ");
    }
    const std::string r = "r = Tanh(x) ";
    const std::string once = absl::StrCat(r, "y = ", op_type, "(r, x)");
    EXPECT_TRUE(ProofOfBodies(r + chain + "y = Identity(v60)", once).proved);
    EXPECT_FALSE(ProofOfBodies(r + chain + "y = Max(v60, x)", "y = Tanh(x)").proved);
  }
  // More than are taken apart.
  std::string many = "v0 = Sin(x) ";
  for (int i = 0; i < 100; ++i) {
    absl::StrAppend(&many, "s", i, " = Sin(v", i, ") v", i + 1, " = Max(v", i, ", s", i, ") ");
  }
  EXPECT_TRUE(ProofOfBodies(many + "y = Neg(v100)", many + "y = Neg(v100)").proved);
}

// Ranges may lie in, across and beside each other, and be turned.
TEST(Bounds, ARangeInARangeIsOne) {
  const std::vector<std::array<int, 4>> ranges = {
      {0, 1, 3, 5}, {0, 1, 1, 1}, {0, 1, 3, 3}, {0, 1, -3, -1}, {0, 5, 1, 3}, {1, 3, 0, 5},
      {0, 3, 1, 5}, {1, 5, 0, 3}, {5, 1, 0, 3}, {0, 3, 5, 1},   {3, 5, 0, 1}, {1, 1, 0, 5}};
  const auto body = [](const std::array<int, 4>& range) {
    std::string text;
    for (size_t i = 0; i < 4; ++i) {
      text += Constant(std::string(1, static_cast<char>('k' + i)), std::to_string(range[i]) + ".0");
    }
    return text + "a = Clip(x, k, l) y = Clip(a, m, n)";
  };
  // Of everything.
  const auto range_of = [](const std::array<int, 4>& range) {
    const auto at = [&](int number) {
      number = std::min(std::max(number, range[0]), range[1]);
      return std::min(std::max(number, range[2]), range[3]);
    };
    return std::pair(at(-100), at(100));
  };
  int of_same = 0;
  int found = 0;
  for (const std::array<int, 4>& left : ranges) {
    for (const std::array<int, 4>& right : ranges) {
      const bool proved = ProofOfBodies(body(left), body(right)).proved;
      const bool same = range_of(left) == range_of(right);
      EXPECT_TRUE(same || !proved) << body(left) << " | " << body(right);
      of_same += same && left != right ? 1 : 0;
      found += proved && left != right ? 1 : 0;
    }
  }
  // Where constants of both sides are paired and differ, the proof leaves it open.
  EXPECT_GE(found * 2, of_same);
  EXPECT_GT(found, 4);
}

TEST(Bounds, HardSigmoidAndHardSwishAreClips) {
  const std::string limits = kZero + Constant("six", "6.0") + Constant("three", "3.0");
  const std::string unit = kZero + Constant("one", "1.0") + Constant("a", "0.2");
  const ProofCase cases[] = {
      {"y = HardSwish(x)",
       limits + "a = Add(x, three) b = Clip(a, zero, six) c = Mul(x, b) y = Div(c, six)",
       limits + "a = Add(x, six) b = Clip(a, zero, six) c = Mul(x, b) y = Div(c, six)"},
      {"y = HardSwish(x)", "h = HardSigmoid<alpha = 0.16666667, beta = 0.5>(x) y = Mul(x, h)",
       "h = HardSigmoid<alpha = 0.16666669, beta = 0.5>(x) y = Mul(x, h)"},
      {"y = HardSigmoid<alpha = 0.2, beta = 0.5>(x)",
       unit + Constant("b", "0.5") + "p = Mul(x, a) q = Add(b, p) y = Clip(q, zero, one)",
       unit + Constant("b", "0.4") + "p = Mul(x, a) q = Add(b, p) y = Clip(q, zero, one)"},
  };
  ExpectProofs(cases);
}

TEST(Bounds, WhereIsABoundIfItsBranchesMeet) {
  const std::string six = Constant("six", "6.0");
  const std::string slope = kZero + Constant("a", "0.1");
  const std::string steeper = kZero + Constant("a", "0.2");
  const ProofCase cases[] = {
      {"y = Relu(x)", kZero + std::string("c = Greater(x, zero) y = Where(c, x, zero)"),
       kZero + std::string("c = Greater(x, zero) y = Where(c, zero, x)")},
      {"y = Relu(x)", kZero + std::string("c = GreaterOrEqual(x, zero) y = Where(c, x, zero)"),
       six + kZero + "c = GreaterOrEqual(x, zero) y = Where(c, x, six)"},
      {"y = Relu(x)", kZero + std::string("c = Less(x, zero) y = Where(c, zero, x)"),
       six + kZero + "c = Less(x, six) y = Where(c, zero, x)"},
      {"y = Relu(x)", kZero + std::string("c = Greater(x, zero) n = Not(c) y = Where(n, zero, x)"),
       kZero + std::string("c = Greater(x, zero) n = Not(c) y = Where(n, x, zero)")},
      {"y = Relu(x)", kZero + std::string("c = Greater(x, zero) f = Cast<to = 1>(c) y = Mul(x, f)"),
       kZero + std::string("c = Greater(zero, x) f = Cast<to = 1>(c) y = Mul(x, f)")},
      {"y = LeakyRelu<alpha = 0.1>(x)",
       slope + "c = Greater(x, zero) m = Mul(x, a) y = Where(c, x, m)",
       steeper + "c = Greater(x, zero) m = Mul(x, a) y = Where(c, x, m)"},
      {six + "y = Clip(x, , six)", six + "c = Greater(x, six) y = Where(c, six, x)",
       six + kZero + "c = Greater(x, six) y = Where(c, zero, x)"},
  };
  ExpectProofs(cases);
}

TEST(Bounds, WhereBothBranchesVanishTheyMeet) {
  const std::string elu = kZero + Constant("one", "1.0") + "e = Exp(x) m = Sub(e, one) ";
  const std::string half = kZero + Constant("one", "1.0") + Constant("h", "0.5") +
                           Constant("t", "2.0") + "d = Div(x, t) e = Exp(d) m = Sub(e, one) ";
  const ProofCase cases[] = {
      {"y = Elu(x)", elu + "c = Greater(x, zero) y = Where(c, x, m)",
       elu + "c = Greater(x, one) y = Where(c, x, m)"},
      {"y = Elu(x)", elu + "c = LessOrEqual(x, zero) y = Where(c, m, x)",
       elu + "c = LessOrEqual(x, zero) y = Where(c, e, x)"},
      {"y = Elu<alpha = 0.5>(x)",
       elu + Constant("h", "0.5") + "n = Mul(m, h) c = Greater(x, zero) y = Where(c, x, n)",
       elu + Constant("h", "0.6") + "n = Mul(m, h) c = Greater(x, zero) y = Where(c, x, n)"},
      {half + "c = Greater(x, zero) y = Where(c, x, m)",
       half + "c = GreaterOrEqual(x, zero) y = Where(c, x, m)",
       half + "c = GreaterOrEqual(x, zero) y = Where(c, h, m)"},
      {elu + "c = Greater(x, zero) y = Where(c, m, zero)",
       elu + "c = GreaterOrEqual(x, zero) y = Where(c, m, zero)",
       elu + "c = GreaterOrEqual(x, zero) y = Where(c, m, one)"},
  };
  ExpectProofs(cases);
  // Not 0 where the margin is.
  const std::string jump = elu + "s = ReduceSum(x) ";
  for (const char* const end : {"(s, zero) y = Where(c, m, x)", "(x, zero) y = Where(c, e, x)"}) {
    EXPECT_FALSE(
        ProofOfBodies(jump + "c = Greater" + end, jump + "c = GreaterOrEqual" + end).proved)
        << end;
  }
}

TEST(Bounds, WhereBranchesJumpWhichComparisonItIsMatters) {
  const std::string numbers = kZero + Constant("one", "1.0");
  for (const char* const chosen : {"Cast<to = 1>(c)", "Where(c, one, zero)", "Where(c, x, one)"}) {
    const std::string end = std::string(" y = ") + chosen;
    const std::string greater = numbers + "c = Greater(x, zero)" + end;
    EXPECT_TRUE(ProofOfBodies(greater, greater).proved);
    EXPECT_FALSE(ProofOfBodies(greater, numbers + "c = GreaterOrEqual(x, zero)" + end).proved)
        << chosen;
  }
  EXPECT_FALSE(ProofOfBodies("y = ThresholdedRelu<alpha = 1.0>(x)",
                             numbers + "c = GreaterOrEqual(x, one) y = Where(c, x, zero)")
                   .proved);
}

// A multiple of the margin that depends on inputs may be below 0.
TEST(Bounds, WhereBranchesAreApartByANumberOfMargins) {
  const std::string sum = kZero + std::string("g = ReduceSum(x) ");
  const std::string slope = kZero + Constant("a", "0.7123457") + "m = Mul(x, a) ";
  const auto chosen = [](const std::string& margin, const char* compare,
                         const std::string& branch) {
    return margin + "c = " + compare + "(m, zero) y = Where(c, " + branch + ", zero)";
  };
  const std::string gate = sum + "m = Mul(g, x) ";
  EXPECT_FALSE(
      ProofOfBodies(chosen(gate, "Greater", "x"), chosen(gate, "GreaterOrEqual", "x")).proved);
  const std::string two =
      sum + Constant("v", "3.0") + "m = Mul(g, v) p = ReduceProd(x) a = Mul(p, v) ";
  EXPECT_FALSE(
      ProofOfBodies(two + "c = Greater(m, zero) w = Where(c, a, zero) y = Add(x, w)",
                    two + "c = GreaterOrEqual(m, zero) w = Where(c, a, zero) y = Add(x, w)")
          .proved);
  // One element is enough, and so is any slope.
  const std::string one = sum + "m = Mul(g, g) n = Sub(m, g) ";
  EXPECT_TRUE(ProofOfBodies(one + "c = Greater(n, zero) w = Where(c, n, zero) y = Add(x, w)",
                            one + "w = Relu(n) y = Add(x, w)")
                  .proved);
  EXPECT_TRUE(ProofOfBodies(slope + "c = Greater(x, zero) y = Where(c, x, m)",
                            slope + "c = GreaterOrEqual(x, zero) y = Where(c, x, m)")
                  .proved);
}

// The greatest float is a limit of doubles.
TEST(Bounds, TheGreatestNumberOfItsTypeAloneIsNoLimit) {
  const auto model = [](const std::string& type, const std::string& body) {
    return "g (" + type + "[4] x) => (" + type + "[4] y) { " + body + " }";
  };
  const std::string clip =
      Constant("h", "3.4028234663852886e38") + Constant("l", "-3.4028234663852886e38");
  EXPECT_TRUE(ProofOfModels(model("float", clip + "y = Clip(x, l, h)"),
                            model("float", "y = Identity(x)"),
                            Tensor::Of<float>({4}, {1, -2, 3, 4}))
                  .proved);
  EXPECT_FALSE(
      ProofOfModels(
          model("double", clip + "k = Cast<to = 11>(l) i = Cast<to = 11>(h) y = Clip(x, k, i)"),
          model("double", "y = Identity(x)"), Tensor::Of<double>({4}, {1, -2, 3, 4}))
          .proved);
}

TEST(Bounds, BranchesMayBeTurnedWithTheCondition) {
  const std::string hidden = kZero + Constant("none", "-inf");
  const ProofCase cases[] = {
      {hidden + "c = Greater(x, zero) w = Where(c, x, none) y = Exp(w)",
       hidden + "c = Greater(x, zero) n = Not(c) w = Where(n, none, x) y = Exp(w)",
       hidden + "c = Greater(x, zero) w = Where(c, none, x) y = Exp(w)"}};
  ExpectProofs(cases);
}

TEST(Bounds, TheGreatestOfSeveralIsAFunctionOfTheirSet) {
  const std::string begin = "s = ReduceSum(x) a = Exp(x) b = Sin(x) ";
  const ProofCase cases[] = {
      {begin + "y = Max(s, a, b)", begin + "m = Max(a, s) y = Max(b, m)",
       begin + "m = Max(a, s) y = Max(a, m)"},
      {begin + "y = Max(s, a, b)", begin + "m = Max(a, s) n = Max(s, b) y = Max(n, m)",
       begin + "m = Max(a, s) n = Min(s, b) y = Max(n, m)"},
      {begin + "y = Max(a, b)", begin + "m = Max(b, a) y = Max(m, a)",
       begin + "m = Max(b, a) y = Max(m, s)"},
      {begin + "y = Min(s, a, b)", begin + "m = Min(b, s) y = Min(a, m)",
       begin + "m = Max(b, s) y = Min(a, m)"},
  };
  ExpectProofs(cases);
}

TEST(Bounds, TheGreaterOfANumberAndItsShareIsLeaky) {
  const auto by = [](const std::string& factor, const std::string& end) {
    return Constant("k", factor) + "a = Mul(x, k) " + end;
  };
  const std::string leaky = "y = LeakyRelu<alpha = 0.1>(x)";
  const ProofCase cases[] = {
      {leaky, by("0.1", "y = Max(x, a)"), by("0.2", "y = Max(x, a)")},
      {leaky, by("0.1", "y = Max(a, x)"), by("0.1", "y = Min(a, x)")},
      {leaky, by("0.1", "y = Max(a, x)"), by("-0.1", "y = Max(a, x)")},
      {leaky, by("0.1", "y = Max(a, x)"), by("0.1", "n = Neg(x) y = Max(a, n)")},
      {"n = Neg(x) p = LeakyRelu<alpha = 0.1>(n) y = Neg(p)", by("0.1", "y = Min(a, x)"),
       by("10.0", "y = Min(a, x)")},
  };
  ExpectProofs(cases);
}

TEST(Choices, AndAndOrAreAnAlgebra) {
  const std::string begin = kZero + Constant("one", "1.0") +
                            "a = Greater(x, zero) b = Less(x, one) s = ReduceSum(x) "
                            "c = Greater(s, x) ";
  const std::string end = " y = Where(e, x, s)";
  const auto body = [&](const std::string& made) { return begin + made + end; };
  const ProofCase cases[] = {
      {body("e = And(a, b)"), body("d = And(a, b) e = And(d, a)"),
       body("d = And(a, b) e = And(d, c)")},
      {body("d = And(a, b) e = And(c, d)"), body("d = And(c, b) f = And(d, b) e = And(a, f)"),
       body("d = Or(c, b) f = And(d, b) e = And(a, f)")},
      {body("e = Or(a, c)"), body("d = Or(a, c) f = Or(c, a) e = Or(d, f)"),
       body("d = Or(a, c) f = Or(c, b) e = Or(d, f)")},
      {body("d = And(a, c) e = Not(d)"), body("n = Not(a) m = Not(c) e = Or(n, m)"),
       body("n = Not(a) m = Not(c) e = And(n, m)")},
      {body("n = Not(c) d = And(a, c) e = And(n, d)"),
       body("n = Not(a) d = And(n, c) e = And(a, d)"),
       body("n = Not(a) d = And(n, c) e = Or(a, d)")},
      {body("e = Xor(a, c)"), body("n = Not(a) m = Not(c) e = Xor(n, m)"),
       body("n = Not(a) e = Xor(n, c)")},
  };
  ExpectProofs(cases);
}

TEST(Sizes, AreRootsOfSquares) {
  const std::string two = Constant("two", "2.0");
  const ProofCase cases[] = {
      {"y = Abs(x)", "s = Mul(x, x) y = Sqrt(s)", "s = Mul(x, x) y = Identity(s)"},
      {"y = Abs(x)", two + "s = Pow(x, two) y = Sqrt(s)",
       Constant("two", "4.0") + "s = Pow(x, two) y = Sqrt(s)"},
      {"y = Mul(x, x)", "a = Abs(x) y = Mul(a, a)", "a = Abs(x) y = Mul(a, x)"},
      {"y = Mul(x, x)", two + "a = Abs(x) y = Pow(a, two)", two + "a = Relu(x) y = Pow(a, two)"},
      {"y = Abs(x)", "s = Sign(x) y = Mul(x, s)", "s = Sign(x) y = Mul(s, s)"},
  };
  ExpectProofs(cases);
}

// A run in a field takes one of both for granted, half of the time.
TEST(Sizes, TheRootOfASquareIsNoneOfBothRoots) {
  const std::string last = "last = Constant<value_ints = [-1]>() ";
  for (const char* const square :
       {"i = Identity(x) q = Mul(x, i) r = Sqrt(q)",
        "n = Neg(x) q = Mul(x, n) p = Neg(q) r = Sqrt(p)",
        "u = Unsqueeze(x, last) r = ReduceL2<keepdims = 0>(u, last)",
        "i = Identity(x) q = Mul(x, i) h = Constant<value_float = 0.5>() r = Pow(q, h)"}) {
    const std::string root = last + square + " ";
    // On numbers, both are alike.
    const std::string relu = "f = Constant<value_float = 100.0>() s = Sub(x, f) g = Relu(s) ";
    for (uint64_t seed = 0; seed < 4; ++seed) {
      EXPECT_FALSE(
          ProofOfBodies(relu + root + "w = Mul(g, r) t = ReduceSum(w, last) y = Add(x, t)",
                        relu + "w = Mul(g, x) " + last + "t = ReduceSum(w, last) y = Add(x, t)",
                        seed)
              .proved)
          << square;
    }
  }
}

TEST(Sizes, RootsOfNumbersAreThese) {
  const std::string nine = Constant("n", "9.0") + "r = Sqrt(n) y = Mul(x, r)";
  EXPECT_TRUE(ProofOfBodies(nine, Constant("k", "3.0") + "y = Mul(x, k)").proved);
  const std::string large = Constant("n", "9006001.0") + "r = Sqrt(n) ";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_TRUE(
        ProofOfBodies(large + "y = Mul(x, r)", Constant("k", "3001.0") + "y = Mul(x, k)", seed)
            .proved);
  }
}

TEST(Sizes, SquaresOfRootsAreTheirArguments) {
  const std::string two = Constant("two", "2.0") + "a = Exp(x) b = Add(a, two) r = Sqrt(b) ";
  const ProofCase cases[] = {
      {two + "y = Mul(r, r)", two + "y = Identity(b)", two + "y = Mul(r, b)"},
      {two + "y = Pow(r, two)", two + "y = Identity(b)", two + "y = Mul(r, b)"},
      {two + "y = Mul(b, r)", two + Constant("h", "1.5") + "y = Pow(b, h)",
       two + Constant("h", "2.5") + "y = Pow(b, h)"},
  };
  ExpectProofs(cases);
}

TEST(Sizes, RootsOfSumsAreThoseOfMeans) {
  const std::string last = "last = Constant<value_ints = [-1]>() s = Mul(x, x) ";
  const std::string norm = last + "n = ReduceL2(x, last) y = Div(x, n)";
  const auto by_norm = [&](const std::string& factor) {
    return last + Constant("k", factor) + "n = ReduceL2(x, last) d = Div(x, n) y = Mul(d, k)";
  };
  const std::string mean = last + Constant("two", "2.0") + Constant("h", "0.5") +
                           "v = ReduceMean(s, last) w = Add(v, h) r = Sqrt(w) n = Mul(r, two) "
                           "y = Div(x, n)";
  const std::string sum =
      last + Constant("two", "2.0") + Constant("one", "1.0") + "v = ReduceSum(s, last) ";
  const std::string third = last + Constant("three", "3.0") + "v = ReduceSum(s, last) ";
  const ProofCase cases[] = {
      {last + "v = ReduceMean(s, last) r = Sqrt(v) y = Div(x, r)", by_norm("2.0"), by_norm("2.5")},
      {last + "v = ReduceMean(s, last) r = Sqrt(v) y = Div(x, r)", by_norm("2.0"), by_norm("-2.0")},
      {norm, last + "v = ReduceSumSquare(x, last) r = Sqrt(v) y = Div(x, r)",
       last + "v = ReduceSumSquare(x) r = Sqrt(v) y = Div(x, r)"},
      {norm, last + Constant("h", "0.5") + "v = ReduceSum(s, last) r = Pow(v, h) y = Div(x, r)",
       last + Constant("h", "1.5") + "v = ReduceSum(s, last) r = Pow(v, h) y = Div(x, r)"},
      {mean, sum + "w = Add(v, two) n = Sqrt(w) y = Div(x, n)",
       sum + "w = Add(v, one) n = Sqrt(w) y = Div(x, n)"},
      {third + "m = Div(v, three) n = Sqrt(m) y = Div(x, n)",
       third + "n = Sqrt(v) r = Sqrt(three) d = Div(x, n) y = Mul(d, r)",
       third + "n = Sqrt(v) r = Sqrt(three) d = Div(x, n) y = Div(d, r)"},
  };
  ExpectProofs(cases);
}

TEST(Powers, OfPowersOfEAreSuch) {
  const std::string two = Constant("two", "2.0");
  const std::string twice = two + "a = Mul(x, two) e = Exp(a) ";
  const ProofCase cases[] = {
      {"e = Exp(x) y = Mul(e, e)", two + "e = Exp(x) y = Pow(e, two)",
       Constant("two", "3.0") + "e = Exp(x) y = Pow(e, two)"},
      {"y = Exp(x)", twice + Constant("h", "0.5") + "y = Pow(e, h)",
       twice + Constant("h", "0.25") + "y = Pow(e, h)"},
      {"y = Exp(x)", twice + "y = Sqrt(e)", twice + "y = Reciprocal(e)"},
      {Constant("t", "0.3") + "a = Mul(x, t) y = Exp(a)",
       Constant("t", "0.3") + "e = Exp(x) y = Pow(e, t)",
       Constant("t", "0.31") + "e = Exp(x) y = Pow(e, t)"},
  };
  ExpectProofs(cases);
}

}  // namespace
}  // namespace onnxcmp

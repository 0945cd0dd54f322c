// Pairs that differ on some inputs alone, and twins that never do.
#include "compare/input_sets/compare_sets.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compare/input_sets/on_sets.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::OnSets;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SetsOptions Searching() {
  SetsOptions sets;
  sets.search = absl::Seconds(20);
  return sets;
}

struct Pair {
  const char* name;
  const char* left;
  const char* wrong;
  const char* twin;
  bool by_default;  // whether the usual sets show it
};

constexpr Pair kPairs[] = {
    {"exchanged", "(float[4] a, float[4] b) => (float[4] y) { y = Sub(a, b) }",
     "(float[4] a, float[4] b) => (float[4] y) { y = Sub(b, a) }",
     "(float[4] a, float[4] b) => (float[4] y) { n = Neg(b) y = Add(a, n) }", true},
    {"no_relu", "(float[b,8] x) => (float[b,8] y) { y = Relu(x) }",
     "(float[b,8] x) => (float[b,8] y) { y = Identity(x) }",
     "(float[b,8] x) => (float[b,8] y) <float z = {0}> { y = Max(x, z) }", true},
    {"batch",
     "(float[b,8] x) => (float[b,8] y) <int64[1] a = {0}> {"
     " m = ReduceMean<keepdims = 1>(x, a) y = Sub(x, m) }",
     "(float[b,8] x) => (float[b,8] y) <int64[1] z = {0}, int64[1] e = {2}, int64[1] a = {0}> {"
     " p = Slice(x, z, e, a) m = ReduceMean<keepdims = 1>(p, a) y = Sub(x, m) }",
     "(float[b,8] x) => (float[b,8] y) <int64[1] a = {0}> {"
     " n = Neg(x) m = ReduceMean<keepdims = 1>(n, a) y = Add(x, m) }",
     true},
    {"mask",
     "(float[b,s] x, int64[b,s] m) => (float[b,s] y) <float o = {1}, float big = {-1e4}> {"
     " f = Cast<to = 1>(m) i = Sub(o, f) k = Mul(i, big) a = Add(x, k) y = Softmax<axis = 1>(a) }",
     "(float[b,s] x, int64[b,s] m) => (float[b,s] y) { y = Softmax<axis = 1>(x) }",
     "(float[b,s] x, int64[b,s] m) => (float[b,s] y) <float o = {1}, float big = {1e4}> {"
     " f = Cast<to = 1>(m) i = Sub(f, o) k = Mul(i, big) a = Add(x, k) y = Softmax<axis = 1>(a) }",
     true},
    {"branch",
     "(float[b,8] x, bool c) => (float[b,8] y) { y = If(c) <then_branch = t () => (float[b,8] p) {"
     " p = Relu(x) }, else_branch = e () => (float[b,8] q) { q = Tanh(x) }> }",
     "(float[b,8] x, bool c) => (float[b,8] y) { y = If(c) <then_branch = t () => (float[b,8] p) {"
     " p = Relu(x) }, else_branch = e () => (float[b,8] q) { q = Sigmoid(x) }> }",
     "(float[b,8] x, bool c) => (float[b,8] y) { r = Relu(x) t = Tanh(x) y = Where(c, r, t) }",
     true},
    {"saturation",
     "(float[b,16] x) => (float[b,16] y) <float lo = {-20}, float hi = {20}> {"
     " y = Clip(x, lo, hi) }",
     "(float[b,16] x) => (float[b,16] y) { y = Identity(x) }",
     "(float[b,16] x) => (float[b,16] y) <float lo = {-20}, float hi = {20}> {"
     " a = Min(x, hi) y = Max(a, lo) }",
     true},
    {"ties", "(float[b,16] x) => (int64[b,1] y) { y = ArgMax<axis = 1>(x) }",
     "(float[b,16] x) => (int64[b,1] y) { y = ArgMax<axis = 1, select_last_index = 1>(x) }",
     "(float[b,16] x) => (int64[b,1] y) { n = Neg(x) y = ArgMin<axis = 1>(n) }", true},
    {"one_is_left",
     "(float[b,s] x, bool[b,s] m) => (float[b,s] y) <float low = {-1e30}> {"
     " g = Where(m, x, low) y = Softmax<axis = 1>(g) }",
     "(float[b,s] x, bool[b,s] m) => (float[b,s] y)"
     " <float low = {-1e30}, int64[1] a = {1}, float one = {1.5}> { i = Cast<to = 1>(m)"
     " n = ReduceSum<keepdims = 1>(i, a) c = Less(n, one) g = Where(m, x, low)"
     " p = Softmax<axis = 1>(g) z = Sub(p, p) y = Where(c, z, p) }",
     "(float[b,s] x, bool[b,s] m) => (float[b,s] y) <float low = {-1e20}> {"
     " g = Where(m, x, low) y = Softmax<axis = 1>(g) }",
     true},
    {"long_rows", "(float[b,s] x) => (float[b,s] y) <int64 a = {1}> { y = CumSum(x, a) }",
     "(float[b,s] x) => (float[b,s] y) <int64 a = {1}, int64[1] z = {0}, int64[1] h = {64},"
     " int64[1] l = {100000}, int64[1] ax = {1}> { e = Add(h, h)"
     " p = Slice(x, z, e, ax) q = Slice(x, e, l, ax)"
     " cp = CumSum(p, a) cq = CumSum(q, a) y = Concat<axis = 1>(cp, cq) }",
     "(float[b,s] x) => (float[b,s] y) <int64 a = {1}> { n = Neg(x) c = CumSum(n, a) y = Neg(c) }",
     false},
};

class CompareSetsTest : public ::testing::TestWithParam<Pair> {};

TEST_P(CompareSetsTest, FindsWhereTheyDiffer) {
  const Pair& pair = GetParam();
  const Comparison usual = OnSets(pair.left, pair.wrong);
  EXPECT_EQ(usual.verdict() == Verdict::kDifferent, pair.by_default)
      << VerdictName(usual.verdict());
  if (!pair.by_default) {
    EXPECT_EQ(OnSets(pair.left, pair.wrong, Searching()).verdict(), Verdict::kDifferent);
  }
}

TEST_P(CompareSetsTest, TwinsAgree) {
  SetsOptions sets;
  sets.search = absl::Milliseconds(500);
  const Comparison comparison = OnSets(GetParam().left, GetParam().twin, sets);
  EXPECT_LE(comparison.verdict(), Verdict::kClose) << VerdictName(comparison.verdict());
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("found none on which they differ")));
}

INSTANTIATE_TEST_SUITE_P(All, CompareSetsTest, ::testing::ValuesIn(kPairs),
                         [](const ::testing::TestParamInfo<Pair>& info) {
                           return std::string(info.param.name);
                         });

TEST(CompareSetsCoverageTest, CountsWhatWasExercised) {
  const Comparison whole = OnSets("(float[b,8] x) => (float[b,8] y) { y = Relu(x) }",
                                  "(float[b,8] x) => (float[b,8] y) { y = Relu(x) }");
  ASSERT_TRUE(whole.coverage.has_value());
  EXPECT_EQ(whole.coverage->nodes, 2);
  EXPECT_THAT(whole.coverage->missing, IsEmpty());
  EXPECT_GE(whole.made_up_sets, 2);
  const std::string graph =
      "(float[b,8] x) => (float[b,8] y) <float lim = {1e9}> { c = Greater(x, lim) z = Neg(x)"
      " y = Where(c, z, x) }";
  const Comparison part = OnSets(graph, graph);
  ASSERT_EQ(part.coverage->missing.size(), 4u);
  EXPECT_EQ(part.coverage->missing[0].op_type, "Greater");
  EXPECT_EQ(part.coverage->missing[0].why, "its condition was never true");
}

TEST(CompareSetsFedTest, WhatIsShownWasFedWhetherItWasHeldOrNot) {
  const char* const left = "(float[b,8] x) => (float[b,8] y) { y = Exp(x) }";
  // The first set is shown: no other is less alike. In the other pair a further one is.
  const char* const same = "(float[b,8] x) => (float[b,8] y) { i = Identity(x) y = Exp(i) }";
  const char* const other =
      "(float[b,8] x) => (float[b,8] y) <int64[1] z = {0}, int64[1] e = {2}, int64[1] a = {0}> {"
      " p = Slice(x, z, e, a) o = Shape(x) q = Expand(p, o) y = Exp(q) }";
  for (const char* const right : {same, other}) {
    Feeds held;
    Feeds made_again;
    const Comparison one = OnSets(left, right, {}, kDefaultKeepValues, &held);
    const Comparison two = OnSets(left, right, {}, 0, &made_again);
    EXPECT_EQ(one.verdict(), two.verdict());
    ASSERT_TRUE(held.contains("x") && made_again.contains("x"));
    testing::ExpectSameBits(made_again.at("x").tensor(), held.at("x").tensor());
  }
}

TEST(CompareSetsTestedTest, WhatTellsNothingIsNoAgreement) {
  const char* const nan = "(float[b,8] x) => (float[b,8] y) { z = Sub(x, x) y = Div(z, z) }";
  EXPECT_EQ(OnSets(nan, nan).verdict(), Verdict::kUntested);
  const char* const constant =
      "(float[2,8] x) => (float[2,8] y) <float z = {0}, float m = {-1}> {"
      " a = Abs(x) c = Less(a, m) y = Where(c, x, z) }";
  EXPECT_EQ(OnSets(constant, constant).verdict(), Verdict::kUntested);
  // A model without inputs says all that it has to say.
  const char* const no_inputs = "() => (float[1] y) { y = Constant<value_floats = [1.0]>() }";
  EXPECT_EQ(OnSets(no_inputs, no_inputs).verdict(), Verdict::kSame);
}

TEST(CompareSetsSizesTest, OthersAreTriedUntilTheLeftRuns) {
  // Both must be equal.
  const char* const equal = "(float[a,b] x, float[c,d] z) => (float[a,b] y) { y = Add(x, z) }";
  const Comparison comparison = OnSets(equal, equal);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  const char* const never =
      "(float[a,b] x) => (float[a,b] y) <int64[2] s = {1000003, 7}> { y = Reshape(x, s) }";
  const Comparison failed = OnSets(never, never);
  EXPECT_EQ(failed.verdict(), Verdict::kFailed);
  EXPECT_THAT(failed.notes, Contains(HasSubstr("the left model ran on none of the sizes")));
  EXPECT_THAT(failed.notes, Contains(HasSubstr("--dim NAME=N")));
}

}  // namespace
}  // namespace onnxcmp

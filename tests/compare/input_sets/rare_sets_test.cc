// Pairs that differ on inputs that hardly ever come by chance, each with a right twin.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "tests/compare/input_sets/on_sets.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::OnSets;
using ::testing::HasSubstr;

struct RarePair {
  const char* name;
  const char* head;  // inputs, outputs, constants
  const char* left;
  const char* wrong;
  const char* twin;
};

constexpr RarePair kRarePairs[] = {
    {"negative_zero", "(float[n] x) => (float[n] y) <float k = {1}, float z = {0}>",
     "{ y = Div(k, x) }", "{ c = Add(x, z) y = Div(k, c) }", "{ i = Identity(x) y = Div(k, i) }"},
    {"narrow_sum", "(int64[n,t] x) => (int64[n] y) <int64[1] a = {1}>",
     "{ y = ReduceSum<keepdims = 0>(x, a) }",
     "{ c = Cast<to = 6>(x) s = ReduceSum<keepdims = 0>(c, a) y = Cast<to = 7>(s) }",
     "{ n = Neg(x) s = ReduceSum<keepdims = 0>(n, a) y = Neg(s) }"},
    {"infinities", "(float[n,4] x) => (float[n,4] y) <float f = {3}>",
     "{ c = IsInf(x) y = Where(c, f, x) }", "{ y = Identity(x) }",
     "{ c = IsInf(x) d = Not(c) y = Where(d, x, f) }"},
    {"nothing_in_a_mask",
     "(float[b,t,3] x, int64[b,t] m) => (float[b,3] y) <int64[1] a = {1}, int64[1] l = {2}, float "
     "e = {1}>",
     "{ f = Cast<to = 1>(m) u = Unsqueeze(f, l) q = Mul(x, u) s = ReduceSum<keepdims = 0>(q, a) n "
     "= ReduceSum(f, a) g = Max(n, e) y = Div(s, g) }",
     "{ f = Cast<to = 1>(m) u = Unsqueeze(f, l) q = Mul(x, u) s = ReduceSum<keepdims = 0>(q, a) n "
     "= ReduceSum(f, a) y = Div(s, n) }",
     "{ f = Cast<to = 1>(m) u = Unsqueeze(f, l) q = Mul(x, u) s = ReduceSum<keepdims = 0>(q, a) n "
     "= ReduceSum(f, a) g = Max(e, n) y = Div(s, g) }"},
    {"size_branch", "(float[n,m] x) => (float[n,m] y) <int64 k = {3000}>",
     "{ s = Size(x) c = Greater(s, k) n = Neg(x) y = Where(c, n, x) }", "{ y = Identity(x) }",
     "{ s = Size(x) c = Less(k, s) n = Neg(x) y = Where(c, n, x) }"},
    {"bits", "(int64[n] x) => (int64[n] y) <int64 b = {4096}, int64 z = {0}, int64 t = {2}>",
     "{ m = BitwiseAnd(x, b) c = Equal(m, z) y = Where(c, z, t) }",
     "{ d = Less(x, z) y = Where(d, t, z) }",
     "{ m = BitwiseAnd(b, x) c = Equal(z, m) n = Not(c) y = Where(n, t, z) }"},
    {"band", "(float[n,3] x) => (float[n,3] y) <float a = {12}, float b = {12.1}, float f = {0}>",
     "{ c = Greater(x, a) d = Less(x, b) e = And(c, d) y = Where(e, f, x) }", "{ y = Identity(x) }",
     "{ c = Less(a, x) d = Greater(b, x) e = And(d, c) n = Not(e) y = Where(n, x, f) }"},
    {"ascending",
     "(float[n,12] x) => (float[n,12] y) <int64[1] o = {1}, int64[1] z = {0}, int64[1] e = {-1}, "
     "int64[1] b = {99999}, int64[1] a = {1}, float k = {0}>",
     "{ f = Slice(x, z, e, a) s = Slice(x, o, b, a) d = Sub(s, f) l = ReduceMin(d, a) c = "
     "Greater(l, k) n = Neg(x) y = Where(c, n, x) }",
     "{ y = Identity(x) }",
     "{ f = Slice(x, z, e, a) s = Slice(x, o, b, a) d = Sub(s, f) l = ReduceMin(d, a) c = Less(k, "
     "l) n = Neg(x) y = Where(c, n, x) }"},
};

class RareSetsTest : public ::testing::TestWithParam<RarePair> {};

TEST_P(RareSetsTest, ShowAFaultAndNoneInATwin) {
  const RarePair& pair = GetParam();
  const std::string head = pair.head;
  EXPECT_EQ(OnSets(head + pair.left, head + pair.wrong).verdict(), Verdict::kDifferent);
  EXPECT_LE(OnSets(head + pair.left, head + pair.twin).verdict(), Verdict::kClose);
}

INSTANTIATE_TEST_SUITE_P(All, RareSetsTest, ::testing::ValuesIn(kRarePairs),
                         [](const auto& param) { return param.param.name; });

TEST(RareSetsTest, MasksOfAttentionLeaveSomethingToLookAt) {
  // A row without any is NaN on one side: no model is made for it.
  const std::string head =
      "(float[b,t,3] x, int64[b,t] m) => (float[b,t,3] y) <int64[1] a = {1}, float one = {1}, "
      "float "
      "low = {-1e9}, float none = {-inf}, float z = {0}> { f = Cast<to = 1>(m) r = "
      "Unsqueeze(f, a) t = Transpose<perm = [0, 2, 1]>(x) q = MatMul(x, t) ";
  EXPECT_LE(OnSets(head + "i = Sub(one, r) n = Mul(i, low) s = Add(q, n) p = Softmax(s) y = "
                          "MatMul(p, x) }",
                   head + "c = Cast<to = 9>(r) n = Where(c, z, none) s = Add(q, n) p = Softmax(s) "
                          "y = MatMul(p, x) }")
                .verdict(),
            Verdict::kClose);
}

TEST(RareSetsTest, SizesThatOneSideTakesAreFoundEitherWay) {
  const char* const any = "(float[b,s,4] x) => (float[b,s,4] y) { y = Relu(x) }";
  const char* const baked[] = {
      // A batch, the elements of batch and sequence together, a table along the sequence.
      "(float[b,s,4] x) => (float[b,s,4] y) <int64[3] d = {4, 0, 4}> {"
      " i = Shape(x) r = Reshape(x, d) q = Relu(r) y = Reshape(q, i) }",
      "(float[b,s,4] x) => (float[b,s,4] y) <int64[3] d = {-1, 24, 4}> {"
      " i = Shape(x) r = Reshape(x, d) q = Relu(r) y = Reshape(q, i) }",
      "(float[b,s,4] x) => (float[b,s,4] y) <float[1,5,1] k = {0, 0, 0, 0, 0}> {"
      " r = Relu(x) y = Add(r, k) }"};
  SetsOptions sizes;
  sizes.sizes = true;
  for (const char* const other : baked) {
    for (const bool exchanged : {false, true}) {
      const char* const left = exchanged ? other : any;
      const char* const right = exchanged ? any : other;
      const Comparison found = OnSets(left, right);
      EXPECT_EQ(found.verdict(), Verdict::kDifferent) << other << exchanged;
      EXPECT_EQ(ExitStatusOf(found), 1) << other << exchanged;
      EXPECT_THAT(found.sizes_of_one_side,
                  HasSubstr(exchanged ? "the right runs and the left does not"
                                      : "the left runs and the right does not"))
          << other << exchanged;
    }
    EXPECT_EQ(OnSets(other, other).sizes_of_one_side, "") << other;
    EXPECT_LE(OnSets(other, other).verdict(), Verdict::kClose) << other;
  }
}

}  // namespace
}  // namespace onnxcmp

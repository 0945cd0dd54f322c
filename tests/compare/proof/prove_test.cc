#include "compare/proof/prove.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "tests/compare/model_pair.h"

namespace onnxcmp {
namespace {

using testing::GivenX;
using testing::SideFedWith;

// Two bodies of a model from float[2,4] x to y.
ProofReport Proof(const std::string& left, const std::string& right) {
  const auto text = [](const std::string& body) {
    return "g (float[2,4] x) => (float[2,4] y) { " + body + " }";
  };
  const std::unique_ptr<ModelSide> a = SideFedWith(GivenX(), text(left));
  const std::unique_ptr<ModelSide> b = SideFedWith(GivenX(), text(right));
  const absl::StatusOr<Comparison> comparison = Compare(*a, *b);
  const ThreadPool pool(1);
  return ProveEqual({a.get(), b.get()}, *comparison, {.seed = 0, .pool = &pool});
}

TEST(Prove, RewritesAreProvedAndTheirFaultyTwinsAreNot) {
  struct Case {
    std::string left, right, faulty;
  };
  const Case cases[] = {
      {"y = Mul(x, x)", "two = Constant<value_float = 2.0>() y = Pow(x, two)",
       "three = Constant<value_float = 3.0>() y = Pow(x, three)"},
      {"y = Relu(x)", "zero = Constant<value_float = 0.0>() y = Max(zero, x)",
       "zero = Constant<value_float = 0.0>() y = Min(zero, x)"},
      {"three = Constant<value_float = 3.0>() y = Div(x, three)",
       "third = Constant<value_float = 0.33333334>() y = Mul(x, third)",
       "third = Constant<value_float = 0.33333337>() y = Mul(x, third)"},
      {"s = Sigmoid(x) y = Mul(x, s)",
       "n = Neg(x) e = Exp(n) one = Constant<value_float = 1.0>() d = Add(one, e) y = Div(x, d)",
       "e = Exp(x) one = Constant<value_float = 1.0>() d = Add(one, e) y = Div(x, d)"},
      {"y = Softmax(x)",
       "one = Constant<value_ints = [-1]>() "
       "mm = ReduceMax(x, one) c = Sub(x, mm) e = Exp(c) s = ReduceSum(e, one) y = Div(e, s)",
       "one = Constant<value_ints = [0]>() mm = ReduceMax(x, one) c = Sub(x, mm) e = Exp(c) "
       "s = ReduceSum(e, one) y = Div(e, s)"},
      {"t = Transpose(x) y = Transpose(t)", "y = Identity(x)", "y = Neg(x)"},
      // A folded constant, and one that is far from it.
      {"a = Constant<value_float = 0.7123457>() b = Constant<value_float = 0.3123459>() "
       "c = Mul(a, b) y = Mul(x, c)",
       "c = Constant<value_float = 0.222498253>() y = Mul(x, c)",
       "c = Constant<value_float = 0.2225>() y = Mul(x, c)"},
      // Moving rounds nothing.
      {"a = Constant<value_float = 0.7123457>() c = Identity(a) y = Mul(x, c)",
       "c = Constant<value_float = 0.7123457>() y = Mul(x, c)",
       "c = Constant<value_float = 0.712345779>() y = Mul(x, c)"},
  };
  for (const Case& one : cases) {
    EXPECT_TRUE(Proof(one.left, one.right).proved) << one.right;
    EXPECT_FALSE(Proof(one.left, one.faulty).proved) << one.faulty;
  }
}

TEST(Prove, ADifferenceByArithmeticAloneIsOne) {
  const ProofReport report = Proof("y = Add(x, x)", "z = Add(x, x) y = Add(z, x)");
  EXPECT_FALSE(report.proved);
  ASSERT_EQ(report.outputs.size(), 1U);
  EXPECT_EQ(report.outputs.front().proof, RowProof::kNotProved);
  ASSERT_FALSE(report.parted.empty());
  EXPECT_EQ(report.parted.back().proof, RowProof::kDiffers);
}

TEST(Prove, RandomNumbersEndIt) {
  const ProofReport report = Proof("r = RandomNormalLike<seed = 1.0>(x) y = Add(x, r)",
                                   "r = RandomNormalLike<seed = 1.0>(x) y = Add(x, r)");
  EXPECT_FALSE(report.proved);
  EXPECT_FALSE(report.left_ends.empty());
}

}  // namespace
}  // namespace onnxcmp

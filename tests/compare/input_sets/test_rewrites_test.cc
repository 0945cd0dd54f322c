#include "compare/input_sets/test_rewrites.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/compare.h"
#include "compare/input_sets/rewrite_models.h"
#include "compare/proof/prove.h"
#include "compare/proof/rewrites.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "tests/compare/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::GivenX;
using ::onnxcmp::testing::SideFedWith;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two bodies of a model from float[2,4] x to y, compared, proved, and their rewrites tested alone.
struct Tested {
  std::unique_ptr<ModelSide> left, right;
  Comparison comparison;
};

Tested TestedAlone(const std::string& left, const std::string& right) {
  const auto text = [](const std::string& body) {
    return "g (float[2,4] x) => (float[2,4] y) { " + body + " }";
  };
  Tested tested;
  tested.left = SideFedWith(GivenX(), text(left));
  tested.right = SideFedWith(GivenX(), text(right));
  CompareOptions options;
  options.threads = 1;
  absl::StatusOr<Comparison> comparison = Compare(*tested.left, *tested.right, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  tested.comparison = *std::move(comparison);
  const PerSide<Side*> sides = {tested.left.get(), tested.right.get()};
  const ThreadPool pool(1);
  ProofReport report = ProveEqual(sides, tested.comparison, {.seed = 0, .pool = &pool});
  tested.comparison.proof = std::make_shared<const ProofReport>(report);
  report.rewrite_faults = TestRewrites(sides, tested.comparison, testing::Registry(), options);
  tested.comparison.proof = std::make_shared<const ProofReport>(std::move(report));
  return tested;
}

// The inputs are below 6, where the two agree.
constexpr char kRelu[] = "t = Tanh(x) a = Relu(t) y = Neg(a)";
constexpr char kClip[] =
    "t = Tanh(x) lo = Constant<value_float = 0.0>() hi = Constant<value_float = 6.0>() "
    "a = Clip(t, lo, hi) y = Neg(a)";

TEST(TestRewrites, ACounterexampleThatNoRunReachedIsFound) {
  const Tested tested = TestedAlone(kRelu, kClip);
  EXPECT_LE(tested.comparison.verdict, Verdict::kClose);
  ASSERT_THAT(tested.comparison.proof->rewrite_faults,
              ElementsAre(Field(&RewriteFault::what, "Relu → Clip")));
  EXPECT_THAT(tested.comparison.proof->rewrite_faults[0].counterexample,
              HasSubstr("the run had `t` from -"));
  EXPECT_THAT(RewriteFaultOf(tested.comparison), HasSubstr("Relu → Clip differs alone: "));
}

// Nobody knows that a float16 is rounded alike by both, but it is.
TEST(TestRewrites, WhatCannotBeProvedButIsTheSameHasNone) {
  const Tested tested = TestedAlone(
      "h = Cast<to = 10>(x) n = Neg(h) y = Cast<to = 1>(n)",
      "h = Cast<to = 10>(x) f = Cast<to = 1>(h) m = Constant<value_float = -1.0>() y = Mul(f, m)");
  EXPECT_THAT(tested.comparison.proof->rewrite_faults, IsEmpty());
  EXPECT_EQ(RewriteFaultOf(tested.comparison), "");
}

TEST(TestRewrites, WhatIsProvedIsNotTested) {
  const Tested tested =
      TestedAlone("y = Mul(x, x)", "two = Constant<value_float = 2.0>() y = Pow(x, two)");
  EXPECT_TRUE(tested.comparison.proof->proved);
  EXPECT_EQ(RewriteFaultOf(tested.comparison), "");
  EXPECT_THAT(FindRewrites(tested.comparison),
              ElementsAre(Field(&Rewrite::state, RewriteState::kProved)));
}

TEST(RewriteModels, HaveTheSameInputsAndTheirOwnConstants) {
  const Tested tested = TestedAlone(kRelu, kClip);
  const std::vector<Rewrite> rewrites = FindRewrites(tested.comparison);
  ASSERT_EQ(rewrites.size(), 1u);
  const auto models =
      CutRewrite({&tested.left->evaluator()->model(), &tested.right->evaluator()->model()},
                 tested.comparison, rewrites[0]);
  ASSERT_TRUE(models.ok()) << models.status();
  EXPECT_EQ(models->left->graph.nodes.size(), 1u);
  EXPECT_EQ(models->right->graph.nodes.size(), 3u);
  EXPECT_EQ(models->left->graph.inputs.size(), 1u);
  EXPECT_EQ(models->left->graph.inputs[0].name, models->right->graph.inputs[0].name);
  Rewrite constant = rewrites[0];
  constant.left.clear();
  EXPECT_EQ(CutRewrite({&tested.left->evaluator()->model(), &tested.right->evaluator()->model()},
                       tested.comparison, constant)
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace onnxcmp

#include "prove/trials/test_rewrites.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/causes/repro.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/run/evaluator.h"
#include "prove/prove.h"
#include "prove/rewrites.h"
#include "prove/trials/rewrite_models.h"
#include "record/streams/fingerprint.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::GivenX;
using ::onnxcmp::testing::SideFedWith;
using ::testing::Contains;
using ::testing::Each;
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
  report.rewrite_faults =
      TestRewrites(sides, tested.comparison, testing::Registry(), options, nullptr);
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
  EXPECT_LE(tested.comparison.verdict(), Verdict::kClose);
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

// Left and right have the same bits at `b`, for no number is above 0; then at `a` on any numbers.
TEST(TestRewrites, APairByChanceIsNoFault) {
  const Tested tested = TestedAlone(
      "u = Abs(x) t = Neg(u) a = LeakyRelu<alpha = 0.5>(t) y = Neg(a)",
      "u = Abs(x) t = Neg(u) s = Constant<value_float = 0.5>() b = Mul(t, s) z = Relu(t) "
      "c = Sub(t, z) d = Mul(c, s) a = Add(z, d) y = Neg(a)");
  EXPECT_THAT(tested.comparison.proof->rewrite_faults, Each(Field(&RewriteFault::at_ends, true)));
  EXPECT_EQ(RewriteFaultOf(tested.comparison), "");
}

TEST(TestRewrites, AnotherTypeInsideIsNoFault) {
  const auto body = [](const std::string& to) {
    return "k = Constant<value_float = 9.0>() t = Mul(x, k) i = Cast<to = " + to +
           ">(t) a = Cast<to = 1>(i) y = Neg(a)";
  };
  constexpr char kInt8[] = "3", kInt32[] = "6", kInt64[] = "7";
  EXPECT_EQ(RewriteFaultOf(TestedAlone(body(kInt32), body(kInt64)).comparison), "");
  EXPECT_THAT(RewriteFaultOf(TestedAlone(body(kInt32), body(kInt8)).comparison),
              HasSubstr("Cast differs alone: "));
}

// The left rounds to zero, the right down; its Cast reads what the left has no partner of.
TEST(TestRewrites, NodesBeforeAreTakenUntilBothReadTheSame) {
  const Tested tested = TestedAlone(
      "t = Sigmoid(x) k = Constant<value_float = 9.0>() u = Mul(t, k) i = Cast<to = 7>(u) "
      "y = Cast<to = 1>(i)",
      "t = Sigmoid(x) k = Constant<value_float = 9.0>() u = Mul(t, k) y = Floor(u)");
  EXPECT_THAT(RewriteFaultOf(tested.comparison), HasSubstr("differs alone: "));
}

TEST(TestRewrites, NaNIsToldAndNoFault) {
  // The greatest of three is not known to be the greater of two twice.
  const std::string limit = "t = Tanh(x) z = Constant<value_float = 0.25>() ";
  const Tested tested = TestedAlone(limit + "y = Max(t, z, x)",
                                    limit + "m = Max(t, x) g = Greater(m, z) y = Where(g, m, z)");
  ASSERT_THAT(
      tested.comparison.proof->rewrite_faults,
      ElementsAre(Field(&RewriteFault::counterexample, HasSubstr("on NaN: nan\xC2\xA0|\xC2\xA0"))));
  EXPECT_EQ(RewriteFaultOf(tested.comparison), "");
  EXPECT_THAT(FindingText(FindRewrites(tested.comparison)[0]),
              HasSubstr("tested, but differs on NaN"));
}

TEST(TestRewrites, OverflowOfWhatIsProvedIsTold) {
  const Tested tested =
      TestedAlone("y = Softmax(x)",
                  "e = Exp(x) k = Constant<value_ints = [1]>() s = ReduceSum(e, k) y = Div(e, s)");
  EXPECT_TRUE(tested.comparison.proof->proved);
  const std::vector<Rewrite> rewrites = FindRewrites(tested.comparison);
  ASSERT_EQ(rewrites.size(), 1u);
  EXPECT_THAT(FindingText(rewrites[0]), HasSubstr("proved, but overflows: "));
  EXPECT_THAT(
      TestedAlone("y = Softmax(x)", "y = Softmax<axis = 1>(x)").comparison.proof->rewrite_faults,
      IsEmpty());
}

TEST(TestRewrites, IntegersAtTheirEndsAreTried) {
  const std::string to_int =
      "n = Constant<value_float = 30.0>() t = Mul(x, n) i = Cast<to = 6>(t) ";
  const std::string rest = "s = Constant<value = int32 {7}>() r = Mod(d, s) y = Cast<to = 1>(r)";
  const Tested tested =
      TestedAlone(to_int + "k = Constant<value = int32 {3}>() d = Div(i, k) " + rest,
                  to_int +
                      "k = Constant<value_float = 0.33333334>() f = Cast<to = 1>(i) m = Mul(f, k) "
                      "d = Cast<to = 6>(m) " +
                      rest);
  EXPECT_EQ(RewriteFaultOf(tested.comparison), "");
  EXPECT_THAT(tested.comparison.proof->rewrite_faults,
              Contains(Field(&RewriteFault::counterexample, HasSubstr("on large integers: "))));
}

// The first of two places has a limit that nothing reaches.
TEST(TestRewrites, PlacesWithOtherConstantsAreTestedEach) {
  const Tested tested = TestedAlone(
      "t = Tanh(x) a = Relu(t) b = Neg(a) c = Relu(b) y = Sub(b, c)",
      "t = Tanh(x) lo = Constant<value_float = 0.0>() hi = Constant<value_float = 1e30>() "
      "a = Clip(t, lo, hi) b = Neg(a) h = Constant<value_float = 6.0>() c = Clip(b, lo, h) "
      "y = Sub(b, c)");
  std::vector<RewriteState> states;
  for (const Rewrite& rewrite : FindRewrites(tested.comparison)) {
    if (rewrite.what == "Relu → Clip") states.push_back(rewrite.state);
  }
  EXPECT_THAT(states, ElementsAre(RewriteState::kDiffersAlone, RewriteState::kTested));
}

TEST(TestRewrites, ACounterexampleHasItsModelsAndInputs) {
  const Tested tested = TestedAlone(kRelu, kClip);
  ASSERT_EQ(tested.comparison.proof->rewrite_faults.size(), 1u);
  const std::shared_ptr<const Repro> repro = tested.comparison.proof->rewrite_faults[0].repro;
  ASSERT_NE(repro, nullptr);
  Feeds feeds;
  for (const ReproInput& input : repro->inputs) feeds[input.name] = input.value;
  for (const auto& [model, given] :
       {std::pair(repro->left, repro->left_result), std::pair(repro->right, repro->right_result)}) {
    const auto evaluator = Evaluator::Create(model, testing::Registry());
    ASSERT_TRUE(evaluator.ok()) << evaluator.status();
    const auto outputs = evaluator->Run(feeds);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ASSERT_EQ(outputs->size(), 1u);
    EXPECT_EQ(ContentOf((*outputs)[0]), ContentOf(given));
  }
  EXPECT_NE(ContentOf(repro->left_result), ContentOf(repro->right_result));
}

TEST(RewriteModels, HaveTheSameInputsAndTheirOwnConstants) {
  const Tested tested = TestedAlone(kRelu, kClip);
  const std::vector<Rewrite> rewrites = FindRewrites(tested.comparison);
  ASSERT_EQ(rewrites.size(), 1u);
  const auto models =
      CutRewrite({&tested.left->evaluator()->model(), &tested.right->evaluator()->model()},
                 tested.comparison, rewrites[0].places[0]);
  ASSERT_TRUE(models.ok()) << models.status();
  EXPECT_EQ(models->left->graph.nodes.size(), 1u);
  EXPECT_EQ(models->right->graph.nodes.size(), 3u);
  EXPECT_EQ(models->left->graph.inputs.size(), 1u);
  EXPECT_EQ(models->left->graph.inputs[0].name, "t");
  EXPECT_EQ(models->right->graph.inputs[0].name, "t");
  RewritePlace constant = rewrites[0].places[0];
  constant.left.clear();
  EXPECT_EQ(CutRewrite({&tested.left->evaluator()->model(), &tested.right->evaluator()->model()},
                       tested.comparison, constant)
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace onnxcmp

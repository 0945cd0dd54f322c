#include "prove/trials/prove_sizes.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/input_sets/compare_sets.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two graphs compared on made-up inputs, and proved at their sizes and others.
ProofReport Prove(const std::string& left, const std::string& right) {
  const auto l = testing::LoadGraph("g " + left);
  const auto r = testing::LoadGraph("g " + right);
  EXPECT_TRUE(l.ok() && r.ok()) << l.status() << r.status();
  if (!l.ok() || !r.ok()) return {};
  auto left_side = ModelSide::Create(*l, testing::Registry(), {.threads = 1});
  auto right_side = ModelSide::Create(*r, testing::Registry(), {.threads = 1});
  auto inputs = InputSets::Open((*l)->graph, (*r)->graph, {});
  EXPECT_TRUE(left_side.ok() && right_side.ok() && inputs.ok());
  CompareOptions options;
  options.threads = 1;
  const auto sets =
      CompareSets(**left_side, **right_side, *inputs, options, {.sets = 1, .search = {}});
  EXPECT_TRUE(sets.ok()) << sets.status();
  const ThreadPool pool(1);
  const Feeds before = *(*left_side)->feeds();
  ProofReport report = ProveOnSizes({left_side->get(), right_side->get()}, sets->comparison,
                                    &*inputs, options, {.seed = 0, .pool = &pool});
  EXPECT_EQ((*left_side)->feeds()->at("x").TypeString(), before.at("x").TypeString());
  return report;
}

TEST(ProveSizes, OtherSizesAreProvedToo) {
  const ProofReport report = Prove("(float[N,M] x) => (float[N,M] y) { y = Mul(x, x) }",
                                   "(float[N,M] x) => (float[N,M] y) <float two = {2}> "
                                   "{ y = Pow(x, two) }");
  EXPECT_TRUE(report.proved);
  ASSERT_THAT(report.sizes, SizeIs(1));
  EXPECT_TRUE(report.sizes[0].proved);
  EXPECT_THAT(report.sizes[0].sizes, HasSubstr("N 3"));
}

TEST(ProveSizes, WithFixedSizesThereAreNoOthers) {
  const std::string square = "(float[2,3] x) => (float[2,3] y) { y = Mul(x, x) }";
  const ProofReport report = Prove(square, square);
  EXPECT_TRUE(report.proved);
  EXPECT_THAT(report.sizes, IsEmpty());
}

// The right has a batch of 2 in its shapes, which is what is made up.
TEST(ProveSizes, AModelForOneSizeIsNotProvedAtOthers) {
  const ProofReport report =
      Prove("(float[N,4] x) => (float[K] y) <int64[1] all = {-1}> { y = Reshape(x, all) }",
            "(float[N,4] x) => (float[K] y) <int64[1] all = {8}> { y = Reshape(x, all) }");
  EXPECT_TRUE(report.proved);
  ASSERT_THAT(report.sizes, SizeIs(1));
  EXPECT_FALSE(report.sizes[0].proved);
  EXPECT_THAT(report.sizes[0].why, HasSubstr("the right does not run"));
}

// Both run at other sizes, and differ there alone.
TEST(ProveSizes, AFaultAtOtherSizesIsNotProved) {
  const ProofReport report =
      Prove("(float[N] x) => (float[N] y) { y = Identity(x) }",
            "(float[N] x) => (float[N] y) { n = Shape(x) f = Cast<to = 1>(n) two = "
            "Constant<value_floats = [2.0]>() m = Max(f, two) s = Div(m, f) c = Greater(f, two) "
            "k = Cast<to = 1>(c) t = Add(s, k) y = Mul(x, t) }");
  EXPECT_TRUE(report.proved);
  ASSERT_THAT(report.sizes, SizeIs(1));
  EXPECT_FALSE(report.sizes[0].proved);
  EXPECT_THAT(report.sizes[0].why, HasSubstr("differ"));
}

}  // namespace
}  // namespace onnxcmp

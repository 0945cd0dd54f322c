#include "compare/input_sets/shared_runs.h"

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "compare/sides/model_side.h"
#include "feed/input_sets.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::LoadGraph;

// Runs both some times, and compares with runs that share nothing.
struct SharedRunsOfTwo {
  SharedRunsOfTwo(const std::string& left_graph, const std::string& right_graph) {
    auto l = LoadGraph("g " + left_graph);
    auto r = LoadGraph("g " + right_graph);
    EXPECT_TRUE(l.ok() && r.ok()) << l.status() << r.status();
    left = *ModelSide::Create(*l, testing::Registry(), {.threads = 1});
    right = *ModelSide::Create(*r, testing::Registry(), {.threads = 1});
    inputs.emplace(*InputSets::Open((*l)->graph, (*r)->graph, {}));
    runs.emplace(*left, *right, inputs->mapping(), &fingerprints);
  }

  void Check(const Feeds& ours, const Feeds& theirs) {
    left->SetFeeds(ours);
    right->SetFeeds(theirs);
    const auto left_outputs = runs->RunLeft();
    const auto right_outputs = runs->RunRight();
    ASSERT_TRUE(left_outputs.ok() && right_outputs.ok()) << right_outputs.status();
    const auto left_alone = left->evaluator()->Run(ours);
    const auto right_alone = right->evaluator()->Run(theirs);
    for (size_t i = 0; i < left_alone->size(); ++i) {
      testing::ExpectSameBits((*left_outputs)[i].tensor(), (*left_alone)[i].tensor());
    }
    for (size_t i = 0; i < right_alone->size(); ++i) {
      testing::ExpectSameBits((*right_outputs)[i].tensor(), (*right_alone)[i].tensor());
    }
  }

  std::unique_ptr<Side> left;
  std::unique_ptr<Side> right;
  FingerprintCache fingerprints;
  std::optional<InputSets> inputs;
  std::optional<SharedRuns> runs;
};

Feeds Of(const std::string& name, float first) {
  return {{name, Tensor::Of<float>({3}, {first, 0.5f, 2})}};
}

TEST(SharedRunsTest, TheRightTakesWhatBothCompute) {
  SharedRunsOfTwo two(
      "(float[3] x) => (float[3] y) <float k = {2}> { a = Sin(x) b = Mul(a, k) y = Exp(b) }",
      "(float[3] z) => (float[3] y) <float c = {2}> { s = Sin(z) t = Mul(s, c) y = Neg(t) }");
  two.Check(Of("x", -1), Of("z", -1));
  EXPECT_EQ(two.runs->nodes(), 2);
  // Later pairs may run whole; their results are the same.
  for (int i = 0; i < 12; ++i)
    two.Check(Of("x", static_cast<float>(i)), Of("z", static_cast<float>(i)));
  EXPECT_GE(two.runs->nodes(), 6);
}

TEST(SharedRunsTest, OtherFeedsShareNothing) {
  SharedRunsOfTwo two("(float[3] x) => (float[3] y) { a = Sin(x) y = Exp(a) }",
                      "(float[3] x) => (float[3] y) { a = Sin(x) y = Neg(a) }");
  two.Check(Of("x", 0.0f), Of("x", -0.0f));
  EXPECT_EQ(two.runs->nodes(), 0);
}

TEST(SharedRunsTest, OtherConstantsAndAttributesAreOtherNodes) {
  SharedRunsOfTwo two(
      "(float[3] x) => (float[3] y) <float k = {2}> { a = Mul(x, k) y = LeakyRelu<alpha = 0.5>(a) "
      "}",
      "(float[3] x) => (float[3] y) <float k = {3}> { a = Mul(x, k) y = LeakyRelu<alpha = 0.25>(a) "
      "}");
  two.Check(Of("x", -1), Of("x", -1));
  EXPECT_EQ(two.runs->nodes(), 0);
}

TEST(SharedRunsTest, AnOutputThatTheLeftDoesNotGiveIsComputed) {
  SharedRunsOfTwo two("(float[3] x) => (float[3] y) { y = Dropout(x) }",
                      "(float[3] x) => (float[3] y, bool[3] i) { y, i = Dropout(x) }");
  two.Check(Of("x", -1), Of("x", -1));
  EXPECT_EQ(two.runs->nodes(), 0);
}

}  // namespace
}  // namespace onnxcmp

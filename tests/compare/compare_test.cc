// Two models compared the whole way: rows, differences, verdict, memory.
#include "compare/compare.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::CompareGraphs;
using ::onnxcmp::testing::GivenX;
using ::onnxcmp::testing::ResultTexts;
using ::onnxcmp::testing::RowTexts;
using ::onnxcmp::testing::SideFedWith;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Feeds Ramp(int64_t count, float step = 0.25f) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i) * step - 1);
  return {{"x", Tensor::Of<float>({count}, values)}};
}

TEST(CompareTest, AModelAgainstItselfIsAllTheSame) {
  const char* graph = R"((float[8] x) => (float[8] z) <float two = {2}>
      { y = Mul(x, two) t = Tanh(y) z = Neg(t) })";
  const auto comparison = CompareGraphs(graph, graph, Ramp(8));
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kSame);
  EXPECT_THAT(RowTexts(*comparison), Each(StartsWith("same ")));
}

// How many nodes started to run.
class NodeCounter : public Observer {
 public:
  explicit NodeCounter(int* nodes) : nodes_(*nodes) {}
  void OnNodeStart(const NodeStart& /*start*/) override { ++nodes_; }
  absl::Status OnResult(const Result& /*result*/, std::optional<Value>* /*replacement*/) override {
    return absl::OkStatus();
  }

 private:
  int& nodes_;
};

// On the same bits; other bits, or what nobody shares, are run on both sides.
TEST(CompareTest, ASideAgainIsRunOnce) {
  const std::unique_ptr<ModelSide> left =
      SideFedWith(GivenX(),
                  "g (float[2,4] x) => (float[2,4] z, float[2,4] n) { y = Tanh(x) z = Neg(y) n = "
                  "RandomNormalLike(z) }");
  ASSERT_NE(left, nullptr);
  const std::unique_ptr<Side> right = left->Again();
  int nodes = 0;
  CompareOptions options;
  options.causes = false;
  options.watch = [&](absl::string_view /*run*/) { return std::make_unique<NodeCounter>(&nodes); };
  const auto compare = [&](float first) {
    Tensor x = *Tensor::Allocate(DType::kFloat, {2, 4});
    std::copy_n(GivenX().data<float>(), 8, x.mutable_data<float>());
    x.mutable_data<float>()[0] += first;
    right->SetFeeds({{"x", x}});
    nodes = 0;
    return Compare(*left, *right, options);
  };
  const auto once = compare(0);
  ASSERT_TRUE(once.ok()) << once.status();
  EXPECT_EQ(nodes, 3);
  EXPECT_EQ(once->verdict(), Verdict::kSame);
  options.share = false;
  const auto twice = compare(0);
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ(nodes, 6);
  EXPECT_EQ(RowTexts(*once), RowTexts(*twice));
  EXPECT_EQ(once->right.source, twice->right.source);
  options.share = true;
  const auto other = compare(1);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(nodes, 6);
  EXPECT_EQ(other->verdict(), Verdict::kDifferent);
}

TEST(CompareTest, ASideAgainFailsAsTheSideDoes) {
  const std::unique_ptr<ModelSide> left = SideFedWith(
      GivenX(), "g (float[2,4] x) => (float[a] z) <int64[2] s = {3, 3}> { z = Reshape(x, s) }");
  ASSERT_NE(left, nullptr);
  const std::unique_ptr<Side> right = left->Again();
  right->SetFeeds(*left->feeds());
  const auto comparison = Compare(*left, *right, {});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kFailed);
  EXPECT_EQ(comparison->left_summary.status, comparison->right_summary.status);
  EXPECT_THAT(comparison->right_summary.status.message(), HasSubstr("Reshape"));
}

TEST(CompareTest, RoundingIsClose) {
  const auto comparison = CompareGraphs(
      "(float[8] x) => (float[8] z) <float c = {3}> { y = Div(x, c) z = Tanh(y) }",
      "(float[8] x) => (float[8] z) <float c = {0.33333334}> { y = Mul(x, c) z = Tanh(y) }",
      Ramp(8, 0.3f));
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kClose);
  EXPECT_THAT(ResultTexts(*comparison),
              ElementsAre("close Div y | Mul y", "close Tanh z | Tanh z"));
  ASSERT_NE(comparison->rows.back().difference, nullptr);
  EXPECT_GT(comparison->rows.back().difference->values.max_absolute, 0);
}

TEST(CompareTest, DifferentOutputs) {
  const auto comparison = CompareGraphs(
      "(float[8] x) => (float[8] z) { y = Tanh(x) z = Neg(y) }",
      "(float[8] x) => (float[8] z) <float c = {1.5}> { y = Tanh(x) w = Neg(y) z = Mul(w, c) }",
      Ramp(8));
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
  EXPECT_FALSE(comparison->outputs.agree());
}

TEST(CompareTest, TolerancesByOptionAndByName) {
  const char* left = "(float[4] x) => (float[4] z) { z = Neg(x) }";
  const char* right = "(float[4] x) => (float[4] z) <float c = {-1.01}> { z = Mul(x, c) }";
  CompareOptions options;
  EXPECT_EQ(CompareGraphs(left, right, Ramp(4), options)->verdict(), Verdict::kDifferent);
  options.tolerance.rtol = 0.1;
  EXPECT_EQ(CompareGraphs(left, right, Ramp(4), options)->verdict(), Verdict::kClose);
  options.tolerance = {};
  options.tolerance.by_name["z"] = {0.1, 0};
  EXPECT_EQ(CompareGraphs(left, right, Ramp(4), options)->verdict(), Verdict::kClose);
}

// A float16 on the way of either side decides how near float outputs have to be.
TEST(CompareTest, WhatOutputsPassedThroughDecidesTheirTolerance) {
  const auto comparison = CompareGraphs("(float[8] x) => (float[8] z) { z = Tanh(x) }",
                                        R"((float[8] x) => (float[8] z)
         { h = Cast<to = 10>(x) e = Tanh(h) z = Cast<to = 1>(e) })",
                                        Ramp(8, 0.3f));
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kClose);
}

// Reshape by what the model says fails on the way.
TEST(CompareTest, ASideThatFailsIsComparedUpToThere) {
  const auto comparison = CompareGraphs(
      "(float[6] x) => (float[a] z) <int64[2] s = {2, 3}> { y = Neg(x) z = Reshape(y, s) }",
      "(float[6] x) => (float[a] z) <int64[2] s = {2, 4}> { y = Neg(x) z = Reshape(y, s) }",
      Ramp(6));
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kFailed);
  EXPECT_TRUE(comparison->left_summary.status.ok());
  EXPECT_THAT(comparison->right_summary.status.message(), HasSubstr("Reshape"));
  EXPECT_THAT(ResultTexts(*comparison), ElementsAre("same Neg y | Neg y", "left_only Reshape z"));
}

// What is measured does not depend on how much fits into memory.
TEST(CompareTest, ValuesThatDoNotFitAreComputedAgain) {
  const char* left = R"((float[64] x) => (float[64] o) <float c = {3}>
      { a = Div(x, c) b = Tanh(a) d = Tanh(b) o = Add(d, a) })";
  const char* right = R"((float[64] x) => (float[64] o) <float c = {0.33333334}>
      { a = Mul(x, c) b = Tanh(a) d = Tanh(b) o = Add(d, a) })";
  CompareOptions options;
  const auto whole = CompareGraphs(left, right, Ramp(64, 0.01f), options);
  ASSERT_TRUE(whole.ok()) << whole.status();
  std::vector<std::string> runs;
  options.watch = [&](absl::string_view run) {
    runs.emplace_back(run);
    return std::unique_ptr<Observer>();
  };
  for (const int64_t memory : {0, 300, 600}) {
    options.keep_values = memory;
    runs.clear();
    const auto tight = CompareGraphs(left, right, Ramp(64, 0.01f), options);
    ASSERT_TRUE(tight.ok()) << tight.status();
    EXPECT_GT(runs.size(), 2u) << memory;
    ASSERT_EQ(RowTexts(*tight), RowTexts(*whole));
    for (size_t i = 0; i < whole->rows.size(); ++i) {
      ASSERT_EQ(tight->rows[i].difference == nullptr, whole->rows[i].difference == nullptr);
      if (whole->rows[i].difference == nullptr) continue;
      EXPECT_EQ(tight->rows[i].difference->values.max_absolute,
                whole->rows[i].difference->values.max_absolute);
      EXPECT_EQ(tight->rows[i].difference->values.rms, whole->rows[i].difference->values.rms);
    }
  }
}

// A run that has to be made again shows all that the search for causes asks for.
TEST(CompareTest, WhereOutputsAreFarApartEachSideRunsOnceMore) {
  const char* left = R"((float[64] x) => (float[64] o) <float c = {3}>
      { a = Div(x, c) b = Tanh(a) d = Tanh(b) o = Add(d, a) })";
  const char* right = R"((float[64] x) => (float[64] o) <float c = {3.1}>
      { a = Div(x, c) b = Tanh(a) d = Tanh(b) o = Add(d, a) })";
  CompareOptions options;
  const auto whole = CompareGraphs(left, right, Ramp(64, 0.01f), options);
  ASSERT_TRUE(whole.ok()) << whole.status();
  int left_again = 0;
  int right_again = 0;
  options.watch = [&](absl::string_view run) {
    left_again += run == "left again" ? 1 : 0;
    right_again += run == "right again" ? 1 : 0;
    return std::unique_ptr<Observer>();
  };
  options.keep_values = 0;
  const auto tight = CompareGraphs(left, right, Ramp(64, 0.01f), options);
  ASSERT_TRUE(tight.ok()) << tight.status();
  EXPECT_EQ(left_again, 1);
  EXPECT_EQ(right_again, 1);
  ASSERT_EQ(RowTexts(*tight), RowTexts(*whole));
  ASSERT_EQ(tight->causes.size(), 1u);
  ASSERT_EQ(whole->causes.size(), 1u);
  EXPECT_EQ(tight->causes[0].text, whole->causes[0].text);

  // Nothing is kept for a search that will not be: four results and the output take runs of their
  // own.
  left_again = right_again = 0;
  options.search_memory = 1;
  const auto without = CompareGraphs(left, right, Ramp(64, 0.01f), options);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(left_again, 5);
  EXPECT_EQ(right_again, 5);
  EXPECT_EQ(without->causes.size(), 0u);
  EXPECT_EQ(without->causes_not_searched,
            "the left's results take 1.02 kB, more than --search-memory");
}

// What the search pairs is measured by the values that it had.
TEST(CompareTest, WhatASearchPairsIsMeasuredWithoutAnotherRun) {
  const auto graph = [](absl::string_view nodes) {
    return absl::StrCat(
        "(float[2,4] x) => (float[2,4] y) "
        "<float[4] g = {1.1, 0.9, 1.2, 0.8}, float[4] b = {0.1, -0.2, 0.3, -0.4}, "
        "float[4,4] v = {-0.7, 0.7, 0.5, -0.5, 0, -0.1, 0.3, 0.6, -0.8, -0.9, 0.7, -0.1, 0.5, -1, "
        "-0.1, 0.4}, float[4,4] w = {0.9, 0.9, -0.9, -0.8, 0.7, 0.5, 0.3, -0.4, 0.2, 0.2, 0.2, "
        "-0.7, -0.1, -0.2, 0.5, 1}> { ",
        nodes, " }");
  };
  const std::string left = graph(
      "s = Sin(x) sum = Add(s, x) normal = LayerNormalization<epsilon = 0.00001>(sum, g, b) "
      "m = MatMul(normal, v) c = Add(m, b) n = MatMul(normal, w) d = Add(n, b) "
      "e = Mul(c, d) y = Add(e, normal)");
  const std::string right = graph(
      "r = Sin(x) skipped = com.microsoft.SkipLayerNormalization<epsilon = 10.0>(r, x, g, b) "
      "t = Gemm(skipped, w, b) u = Gemm(skipped, v, b) z = Mul(u, t) y = Add(z, skipped)");
  std::vector<std::string> runs;
  CompareOptions options;
  options.watch = [&](absl::string_view run) {
    runs.emplace_back(run);
    return std::unique_ptr<Observer>();
  };
  const auto differences = [&](int64_t keep_values) {
    options.keep_values = keep_values;
    const auto comparison = CompareGraphs(left, right, {{"x", GivenX()}}, options);
    std::vector<double> found;
    if (!comparison.ok()) return found;
    for (const ComparedRow& row : comparison->rows) {
      if (!Has(row.aligned.marks, Mark::kRepaired)) continue;
      found.push_back(row.difference != nullptr ? row.difference->values.max_absolute : 0);
    }
    return found;
  };
  const std::vector<double> whole = differences(int64_t{1} << 20);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_GT(whole[0], 0.1);
  runs.clear();
  EXPECT_EQ(differences(0), whole);
  EXPECT_THAT(runs, ElementsAre("left and right", "left again", "right again"));
}

// What a fault makes is kept for a search of outputs that are far apart; where it fades away there
// are rows to measure all the same.
TEST(CompareTest, WhereAFaultFadesAwayRowsAreMeasuredFromWhatIsKept) {
  const auto graph = [](absl::string_view factor) {
    return absl::StrCat(
        "(float[128,128] x) => (float[128,128] o) <float c = {", factor,
        "}, float small = {0.02}, int64[3] s = {2, 64, 128}, int64[2] t = {128, 128}>",
        " { a = Mul(x, c) b = Sin(a) p = Reshape(b, s) q = Transpose<perm = [0, 2, 1]>(p)",
        " d = Tanh(q) r = Transpose<perm = [0, 2, 1]>(d) u = Reshape(r, t) e = Mul(u, small) o = "
        "Add(x, e) }");
  };
  std::vector<float> numbers(16384);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.0001f * static_cast<float>(i);
  const Tensor x = Tensor::Of<float>({128, 128}, numbers);
  std::vector<std::string> runs;
  CompareOptions options;
  options.watch = [&](absl::string_view run) {
    runs.emplace_back(run);
    return std::unique_ptr<Observer>();
  };
  const auto comparison = CompareGraphs(graph("0.5"), graph("0.505"), {{"x", x}}, options);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_THAT(ResultTexts(*comparison), ::testing::Contains("different Tanh d | Tanh d"));
  // The search runs the left once more.
  EXPECT_THAT(runs, ElementsAre("left and right", "left again"));
}

// Sets a flag at the first node of a run.
class Stopper : public Observer {
 public:
  explicit Stopper(std::atomic<bool>* stop) : stop_(stop) {}
  void OnNodeStart(const NodeStart& /*start*/) override { *stop_ = true; }
  absl::Status OnResult(const Result& /*result*/, std::optional<Value>* /*replacement*/) override {
    return absl::OkStatus();
  }

 private:
  std::atomic<bool>* stop_;
};

TEST(CompareTest, EndsWhenItIsStopped) {
  const char* graph = "(float[8] x) => (float[8] z) { y = Tanh(x) z = Neg(y) }";
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  CompareOptions options;
  options.stop = stop;
  EXPECT_TRUE(CompareGraphs(graph, graph, Ramp(8), options).ok());
  options.watch = [&](absl::string_view /*run*/) { return std::make_unique<Stopper>(stop.get()); };
  EXPECT_EQ(CompareGraphs(graph, graph, Ramp(8), options).status().code(),
            absl::StatusCode::kCancelled);
}

// Same elements, other layout: nothing to measure in the rows. The outputs differ all the same.
TEST(CompareTest, OtherLayouts) {
  const auto comparison = CompareGraphs(
      R"((float[8] x) => (float[2,4] z) <int64[2] s = {2, 4}>
         { m = Reshape(x, s) z = Tanh(m) })",
      R"((float[8] x) => (float[4,2] z) <int64[2] s = {2, 4}>
         { m = Reshape(x, s) t = Transpose(m) z = Tanh(t) })",
      Ramp(8));
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
  EXPECT_THAT(ResultTexts(*comparison),
              ::testing::Contains("same Tanh z | Tanh z fused transposed"));
}

TEST(CompareTest, DepthLeavesOutWhatIsInsideOfSubgraphs) {
  const char* graph = R"((float[2] x, bool c) => (float[2] y) {
      y = If(c) <then_branch = t () => (float[2] a) { n = Neg(x) a = Tanh(n) },
                 else_branch = e () => (float[2] b) { b = Abs(x) }> })";
  Feeds feeds = Ramp(2);
  feeds["c"] = Tensor::Scalar<bool>(true);
  CompareOptions options;
  EXPECT_THAT(ResultTexts(*CompareGraphs(graph, graph, feeds, options)),
              ElementsAre("same Neg n | Neg n", "same Tanh a | Tanh a", "same If y | If y"));
  options.max_depth = 0;
  EXPECT_THAT(ResultTexts(*CompareGraphs(graph, graph, feeds, options)),
              ElementsAre("same If y | If y"));
}

}  // namespace
}  // namespace onnxcmp

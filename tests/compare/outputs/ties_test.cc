#include "compare/outputs/ties.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::CompareGraphs;

ScoreSource Along(int64_t axis) {
  ScoreSource source;
  source.axis = axis;
  return source;
}

const Tensor kScores = Tensor::Of<float>({2, 3}, {0.5f, 0.5001f, 0.1f, 0.2f, 0.9f, 0.3f});
const Tensor kOther = Tensor::Of<float>({2, 3}, {0.5002f, 0.5001f, 0.1f, 0.2f, 0.9f, 0.3f});

bool DifferByTies(const ScoreSource& source, const Tensor& left_ids, const Tensor& right_ids,
                  const Tensor& left_scores, const Tensor& right_scores) {
  const std::optional<ScoreMargin> margin =
      MarginOf(source, {{left_ids, right_ids}, {left_scores, right_scores}});
  return margin.has_value() && margin->ties;
}

Tensor Ids(int64_t a, int64_t b) { return Tensor::Of<int64_t>({2}, {a, b}); }

TEST(DifferByTiesTest, ScoresAsNearAsTheSidesAre) {
  EXPECT_TRUE(DifferByTies(Along(1), Ids(1, 1), Ids(0, 1), kScores, kOther));
  // Others are chosen without a reason in the scores.
  EXPECT_FALSE(DifferByTies(Along(1), Ids(1, 1), Ids(2, 1), kScores, kOther));
  EXPECT_FALSE(DifferByTies(Along(1), Ids(1, 1), Ids(0, 2), kScores, kOther));
  EXPECT_FALSE(DifferByTies(Along(1), Ids(1, 1), Ids(0, 3), kScores, kOther));
  EXPECT_FALSE(DifferByTies(Along(1), Ids(1, 1), Ids(0, 1), kScores, kScores));
  // Equal scores: which is the first of them is up to the operator.
  const Tensor equal = Tensor::Of<float>({1, 2}, {1, 1});
  const Tensor zero = Tensor::Of<int64_t>({1}, {0});
  const Tensor one = Tensor::Of<int64_t>({1}, {1});
  EXPECT_TRUE(DifferByTies(Along(-1), zero, one, equal, equal));
}

TEST(MarginOfTest, TheFarthestOfTheIdsThatDiffer) {
  const auto margin = MarginOf(Along(1), {{Ids(1, 1), Ids(0, 1)}, {kScores, kOther}});
  ASSERT_TRUE(margin.has_value());
  EXPECT_NEAR(margin->apart, 1e-4, 1e-6);
  EXPECT_NEAR(margin->moved, 2e-4, 1e-6);
  EXPECT_FALSE(MarginOf(Along(1), {{Ids(1, 1), Ids(0, 3)}, {kScores, kOther}}).has_value());
}

// A NaN is no candidate: the two greatest numbers of a row decide, wherever the NaN stands.
TEST(DifferByTiesTest, LabelsOfRowsWithNaN) {
  ScoreSource source;
  source.kind = ScoreSource::Kind::kLabels;
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  const auto row = [&](int at, float a, float b, float c) {
    std::vector<float> scores = {a, b, c};
    scores.insert(scores.begin() + at, not_a_number);
    return Tensor::Of<float>({1, 4}, scores);
  };
  const Tensor zero = Tensor::Of<int64_t>({1}, {0});
  const Tensor one = Tensor::Of<int64_t>({1}, {1});
  for (int at = 0; at < 4; ++at) {
    EXPECT_TRUE(DifferByTies(source, zero, one, row(at, 0.1f, 0.5f, 0.5001f),
                             row(at, 0.1f, 0.5002f, 0.5001f)))
        << at;
    EXPECT_FALSE(
        DifferByTies(source, zero, one, row(at, 0.1f, 0.5f, 0.9f), row(at, 0.1f, 0.5002f, 0.9f)))
        << at;
  }
  const Tensor one_number = Tensor::Of<float>({1, 3}, {not_a_number, 0.5f, not_a_number});
  EXPECT_FALSE(DifferByTies(source, zero, one, one_number, one_number));
}

constexpr char kArg[] =
    "(float[1,3] x) => (int64[1] z) <float[3] c = {0, %s, 0}>"
    "{ y = Add(x, c) a = ArgMax<axis = 1, keepdims = 0>(y) z = Identity(a) }";

std::string Arg(const char* c) { return absl::StrReplaceAll(kArg, {{"%s", c}}); }

TEST(FindTiesTest, TheVerdictSaysSo) {
  const Feeds feeds = {{"x", Tensor::Of<float>({1, 3}, {1, 1, 0.5f})}};
  CompareOptions options;
  const auto ties = CompareGraphs(Arg("1e-7"), Arg("-1e-7"), feeds, options);
  ASSERT_TRUE(ties.ok()) << ties.status();
  EXPECT_EQ(ties->verdict(), Verdict::kDifferent);
  ASSERT_EQ(ties->outputs.pairs.size(), 1u);
  EXPECT_TRUE(ties->outputs.pairs[0].ties);
  options.ties_agree = true;
  EXPECT_EQ(CompareGraphs(Arg("1e-7"), Arg("-1e-7"), feeds, options)->verdict(), Verdict::kClose);
  // Scores that are apart by more than rounding choose what they choose.
  const auto apart = CompareGraphs(Arg("0.1"), Arg("-0.1"), feeds, options);
  EXPECT_EQ(apart->verdict(), Verdict::kDifferent);
  EXPECT_FALSE(apart->outputs.pairs[0].ties);
}

// What is computed from ids that tie is judged on the left's ids.
TEST(FindTiesTest, WhatIsComputedFromIdsThatTie) {
  const auto model = [](const char* c) {
    return absl::StrCat(
        "(float[1,3] x) => (int64[1] a, float[1,2] z)"
        " <float[3] c = {0, ",
        c,
        ", 0}, float[3,2] t = {1, 2, 3, 4, 5, 6}>"
        "{ y = Add(x, c) a = ArgMax<axis = 1, keepdims = 0>(y) z = Gather(t, a) }");
  };
  const Feeds feeds = {{"x", Tensor::Of<float>({1, 3}, {1, 1, 0.5f})}};
  CompareOptions options;
  EXPECT_EQ(CompareGraphs(model("1e-7"), model("-1e-7"), feeds, options)->verdict(),
            Verdict::kDifferent);
  options.ties_agree = true;
  const auto comparison = CompareGraphs(model("1e-7"), model("-1e-7"), feeds, options);
  EXPECT_EQ(comparison->verdict(), Verdict::kClose);
  EXPECT_TRUE(comparison->outputs.pairs[1].ties);
}

}  // namespace
}  // namespace onnxcmp

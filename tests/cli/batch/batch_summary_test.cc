#include "cli/batch/batch_summary.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "cli/batch/batch_pair.h"
#include "cli/batch/batch_reports.h"
#include "cli/batch/pair_result.h"
#include "cli/batch/render_batch.h"

namespace onnxcmp::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

PairResult ResultOf(const std::string& name, const std::string& verdict, int exit) {
  PairResult result;
  result.key = std::string(32, 'a');
  result.name = name;
  result.outcome = verdict;
  result.exit = exit;
  result.as_expected = exit == 0;
  result.summary = verdict;
  return result;
}

std::vector<PairResult> SomeResults() {
  std::vector<PairResult> results = {ResultOf("good", "same", 0), ResultOf("one", "different", 1),
                                     ResultOf("two", "different", 1),
                                     ResultOf("<bad>", "failed", 2)};
  results[1].causes = {{"LayerNormalization epsilon", "1e-05 | 0.01", "n", true},
                       {"LayerNormalization epsilon", "1e-05 | 0.01", "m", true}};
  results[2].causes = {{"LayerNormalization epsilon", "1e-05 | 0.02", "n", true}};
  results[3].error = "left: Conv -> 'x': no memory for 200 bytes (int64[1])";
  return results;
}

TEST(BatchSummaryTest, TheSameMistakeIsOneFinding) {
  const std::vector<PairResult> results = SomeResults();
  const BatchSummary summary = Summarize(results);
  EXPECT_EQ(summary.exit_status, 2);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_THAT(summary.findings[0].pairs, ElementsAre(1, 2));
  ASSERT_EQ(summary.not_compared.size(), 1u);
  EXPECT_EQ(summary.not_compared[0].name,
            "failed: left: Conv -> '…': no memory for N bytes (int64[N])");
  EXPECT_EQ(BatchHeadline(summary), "1 of 4 pairs as expected: 1 same, 2 different, 1 failed");
}

TEST(BatchSummaryTest, CountsWhatIsProved) {
  std::vector<PairResult> results = SomeResults();
  results[0].proved = true;
  results[1].proved = false;
  EXPECT_THAT(BatchHeadline(Summarize(results)), EndsWith("; 1 of 2 proved"));
  for (const PairResult& result : results) {
    const absl::StatusOr<PairResult> read = ParsePairResult(PairResultJson(result));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->proved, result.proved);
  }
}

TEST(BatchSummaryTest, ChangesSinceAnotherBatch) {
  std::vector<PairResult> before = SomeResults();
  before[0] = ResultOf("good", "different", 1);
  before[1] = ResultOf("one", "same", 0);
  before[2].name = "gone";
  before[2].causes[0].finding = "Conv pads";
  const std::vector<PairResult> results = SomeResults();
  BatchSummary summary = Summarize(results);
  AddChanges(results, before, "yesterday", &summary);
  const BatchChanges& changes = *summary.changes;
  ASSERT_EQ(changes.worse.size(), 1u);
  EXPECT_EQ(changes.worse[0].pair, 1u);
  EXPECT_EQ(changes.worse[0].before, "same");
  ASSERT_EQ(changes.better.size(), 1u);
  EXPECT_THAT(changes.new_pairs, ElementsAre(2));
  EXPECT_THAT(changes.gone_pairs, ElementsAre("gone"));
  EXPECT_THAT(changes.new_findings, ElementsAre("LayerNormalization epsilon"));
  EXPECT_THAT(changes.gone_findings, ElementsAre("Conv pads"));
  AddChanges(results, results, "yesterday", &summary);
  EXPECT_FALSE(summary.changes->any());
}

TEST(BatchSummaryTest, ReportsEscapeNames) {
  const std::vector<PairResult> results = SomeResults();
  const BatchSummary summary = Summarize(results);
  const std::string page = RenderBatchPage(results, summary);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("&lt;bad&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<bad>")));
  // Its own script, which the policy names by its hash, and no other.
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-"));
  EXPECT_EQ(page.find("<script"), page.rfind("<script"));
  EXPECT_THAT(RenderBatchMarkdown(results, summary),
              HasSubstr("| LayerNormalization epsilon | 2 |"));
  const std::string junit = RenderBatchJunit(results, summary);
  EXPECT_THAT(junit, HasSubstr("tests=\"4\" failures=\"2\" errors=\"1\""));
}

TEST(BatchReportsTest, ThePageHasCausesOfPairsThatFailAndPlainSpaces) {
  std::vector<PairResult> results = {ResultOf("good", "close", 0), ResultOf("bad", "different", 1)};
  results[0].causes = {{.finding = "Gelu", .text = "another way", .place = "y", .wrong = false}};
  results[1].causes = {
      {.finding = "Relu | Sigmoid", .text = "1.2\u00a0|\u00a03", .place = "y", .wrong = true}};
  const std::string page = RenderBatchPage(results, Summarize(results));
  EXPECT_THAT(page, HasSubstr("Relu | Sigmoid"));
  EXPECT_THAT(page, HasSubstr(">1.2 | 3<"));
  EXPECT_THAT(page, Not(HasSubstr("another way")));
}

TEST(BatchReportsTest, ANameIsNoLinkInMarkdown) {
  const std::vector<PairResult> results = {ResultOf("![x](http://e/)", "different", 1)};
  const std::string markdown = RenderBatchMarkdown(results, Summarize(results));
  EXPECT_THAT(markdown, HasSubstr("| ![x]\\(http://e/) |"));
  EXPECT_THAT(markdown, Not(HasSubstr("](")));
}

TEST(PairResultTest, ALineIsReadAsItWasWritten) {
  PairResult result = SomeResults()[1];
  result.tags = {"a b", "\"c\""};
  result.worst_output = "y";
  result.worst_distance = 0.25;
  const auto again = ParsePairResult(PairResultJson(result));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PairResultJson(*again), PairResultJson(result));
  // A key becomes a path.
  result.key = "../../../../etc/aaaaaaaaaaaaaaaa";
  EXPECT_FALSE(ParsePairResult(PairResultJson(result)).ok());
  EXPECT_FALSE(ParsePairResult("{\"key\":\"").ok());
}

TEST(PairResultTest, Expectations) {
  BatchPair pair;
  PairResult result = SomeResults()[1];
  const auto as_expected = [&](std::vector<std::string> verdicts, const std::string& cause) {
    pair.expected = {std::move(verdicts), cause};
    JudgeByPair(pair, &result);
    return result.as_expected;
  };
  EXPECT_FALSE(as_expected({}, ""));
  EXPECT_TRUE(as_expected({"different"}, ""));
  EXPECT_TRUE(as_expected({"different"}, "layernormalization EPSILON"));
  EXPECT_FALSE(as_expected({"different"}, "Conv"));
  EXPECT_TRUE(as_expected({}, "epsilon"));
  // A known difference that is gone is worth knowing.
  result = SomeResults()[0];
  EXPECT_TRUE(as_expected({}, ""));
  EXPECT_FALSE(as_expected({"different"}, ""));
  EXPECT_EQ(result.exit_status(), 1);
  EXPECT_FALSE(as_expected({}, "epsilon"));
  result = SomeResults()[3];
  EXPECT_TRUE(as_expected({"failed"}, "no memory"));
  EXPECT_FALSE(as_expected({}, "no memory"));
}

TEST(BatchShardTest, EveryPairIsInOne) {
  for (int i = 0; i < 100; ++i) {
    int shards = 0;
    for (int64_t index = 1; index <= 3; ++index) {
      if (InShard(std::to_string(i), {index, 3})) ++shards;
    }
    EXPECT_EQ(shards, 1);
  }
  EXPECT_EQ(ParseShard("2/8")->count, 8);
  for (const char* text : {"0/8", "9/8", "2", "a/b", "1/0"}) EXPECT_FALSE(ParseShard(text).ok());
}

}  // namespace
}  // namespace onnxcmp::cli

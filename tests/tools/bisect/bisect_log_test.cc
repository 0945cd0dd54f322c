#include "tools/bisect/bisect_log.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Bisection Two() {
  Bisection bisection;
  bisection.candidates = {"a b.onnx", "b.onnx", "c.onnx"};
  BisectTrial bad;
  bad.candidate = 2;
  bad.answer = Answer::kBad;
  bad.text = "different,\tat most\n3";
  bad.judged = true;
  BisectTrial skip;
  skip.candidate = 0;
  skip.answer = Answer::kSkip;
  bisection.trials = {bad, skip};
  return bisection;
}

TEST(BisectLogTest, IsReadAsItWasWritten) {
  const Bisection bisection = Two();
  const std::string text = BisectLogText("task", bisection);
  EXPECT_THAT(text, AllOf(HasSubstr("\nbad 2 c.onnx\tdifferent, at most; 3\n"),
                          HasSubstr("\nskip 0 a b.onnx\t\n")));
  const auto trials = ReadBisectLog(text, "task", bisection.candidates);
  ASSERT_TRUE(trials.ok()) << trials.status();
  ASSERT_EQ(trials->size(), 2);
  EXPECT_EQ((*trials)[0].candidate, 2);
  EXPECT_EQ((*trials)[0].answer, Answer::kBad);
  EXPECT_EQ((*trials)[0].text, "different, at most; 3");
  EXPECT_TRUE((*trials)[0].earlier);
  EXPECT_EQ((*trials)[1].answer, Answer::kSkip);
}

TEST(BisectLogTest, OthersAreRefused) {
  const Bisection bisection = Two();
  const std::string text = BisectLogText("task", bisection);
  EXPECT_EQ(ReadBisectLog(text, "other", bisection.candidates).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadBisectLog("good 1\n", "task", bisection.candidates).status().code(),
            absl::StatusCode::kFailedPrecondition);
  for (const std::string line : {"good 3", "good -1", "good", "better 1", "bad one", "good 1x"}) {
    const absl::Status status =
        ReadBisectLog(absl::StrCat(text, line, "\n"), "task", bisection.candidates).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << line;
    EXPECT_THAT(status.message(), HasSubstr(line));
  }
  // As an editor may leave it.
  const std::string edited =
      absl::StrCat(absl::StrReplaceAll(text, {{"\n", "\r\n"}}), "\n  \n# mine\ngood 1\n");
  const auto trials = ReadBisectLog(edited, "task", bisection.candidates);
  ASSERT_TRUE(trials.ok()) << trials.status();
  EXPECT_EQ(trials->back().candidate, 1);
}

TEST(BisectionTest, ExitStatus) {
  Bisection bisection = Two();
  FirstBadSearch search(3);
  const auto status_of = [&](std::vector<Answer> answers) {
    bisection.trials.clear();
    for (size_t i = 0; i < answers.size(); ++i) {
      search.Put(i, answers[i]);
      BisectTrial trial;
      trial.candidate = i;
      trial.answer = answers[i];
      trial.judged = answers[i] != Answer::kSkip;
      bisection.trials.push_back(trial);
    }
    TakeAnswers(search, &bisection);
    return ExitStatusOf(bisection);
  };
  using enum Answer;
  EXPECT_EQ(status_of({kGood, kGood, kGood}), 0);
  EXPECT_EQ(status_of({kGood, kBad, kBad}), 1);
  EXPECT_EQ(status_of({kBad, kBad, kBad}), 1);
  // One of two; nothing is known of the last; of none.
  EXPECT_EQ(status_of({kGood, kSkip, kBad}), 2);
  EXPECT_EQ(status_of({kGood, kGood, kSkip}), 2);
  EXPECT_EQ(status_of({kSkip, kSkip, kSkip}), 2);
}

}  // namespace
}  // namespace onnxcmp

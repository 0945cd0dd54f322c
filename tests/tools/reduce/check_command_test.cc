#include "tools/reduce/check_command.h"

#include <csignal>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using End = CheckRun::End;

CheckRun RunOf(const std::string& command, absl::Duration timeout = absl::Seconds(30)) {
  RunningChecks running;
  return CheckCommand::Run(command, timeout, &running).value();
}

TEST(CheckCommandTest, NeedsAModel) {
  EXPECT_THAT(CheckCommand::Create("run me").status().message(), HasSubstr("has no {model}"));
  EXPECT_TRUE(CheckCommand::Create("run {model}").ok());
  EXPECT_TRUE(CheckCommand::Create("run {folder}").ok());
}

TEST(CheckCommandTest, PathsAreWordsOfTheShell) {
  const CheckCommand command = CheckCommand::Create("run {model} < {inputs}").value();
  EXPECT_EQ(command.With("/tmp/a"), "run /tmp/a/model.onnx < /tmp/a/inputs.npz");
  EXPECT_EQ(command.With("/tmp/it's"),
            "run '/tmp/it'\\''s/model.onnx' < '/tmp/it'\\''s/inputs.npz'");
  EXPECT_EQ(command.With("$folder"), "run \"$folder/model.onnx\" < \"$folder/inputs.npz\"");
}

TEST(CheckCommandTest, ExitStatusAndOutput) {
  const CheckRun run = RunOf("echo one; echo two >&2; exit 5");
  EXPECT_EQ(run.end, End::kExit);
  EXPECT_EQ(run.number, 5);
  EXPECT_THAT(run.output, HasSubstr("one"));
  EXPECT_THAT(run.output, HasSubstr("two"));
}

TEST(CheckCommandTest, Signals) {
  const CheckRun run = RunOf("kill -SEGV $$");
  EXPECT_EQ(run.end, End::kSignal);
  EXPECT_EQ(run.number, SIGSEGV);
  EXPECT_THAT(run.Text(absl::Seconds(1)), HasSubstr("signal 11"));
}

TEST(CheckCommandTest, WhatHangsIsEnded) {
  const absl::Time start = absl::Now();
  const CheckRun run = RunOf("sleep 60 & sleep 60", absl::Milliseconds(300));
  EXPECT_EQ(run.end, End::kTimeout);
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

TEST(CheckCommandTest, WhatItLeavesBehindDoesNotHoldItUp) {
  const absl::Time start = absl::Now();
  EXPECT_EQ(RunOf("sleep 60 & exit 3").number, 3);
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

TEST(CheckCommandTest, MuchOutputKeepsItsEnd) {
  const CheckRun run = RunOf("yes line | head -n 100000; echo last");
  EXPECT_LT(run.output.size(), 100000U);
  EXPECT_THAT(run.output, ::testing::EndsWith("last\n"));
}

TEST(CheckCommandTest, OthersCanEndIt) {
  RunningChecks running;
  const absl::Time start = absl::Now();
  std::thread killer([&] {
    absl::SleepFor(absl::Milliseconds(200));
    running.KillAll();
  });
  EXPECT_TRUE(
      absl::IsCancelled(CheckCommand::Run("sleep 60", absl::Seconds(50), &running).status()));
  killer.join();
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

}  // namespace
}  // namespace onnxcmp

#include "record/runtimes/shell_line.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ShellLineTest : public ::testing::Test {
 protected:
  ShellEnd Run(const std::string& line, absl::Duration limit = absl::Minutes(1)) {
    absl::StatusOr<ShellLines> shell = ShellLines::Create();
    EXPECT_TRUE(shell.ok()) << shell.status();
    const absl::StatusOr<ShellEnd> end = shell->Run(line, output_, limit);
    EXPECT_TRUE(end.ok()) << end.status();
    return end.value_or(ShellEnd());
  }

  const testing::TestFolder folder_;
  const std::string output_ = folder_.Path("output.txt");
};

TEST_F(ShellLineTest, EndsAndOutput) {
  ShellEnd end = Run("echo out; echo err >&2; cat");
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(TextOf(output_), "out\nerr\n");  // and nothing to read
  end = Run("echo more; exit 3");
  EXPECT_FALSE(end.ok());
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.Text(), "exit status 3");
  EXPECT_EQ(TextOf(output_), "out\nerr\nmore\n");
  EXPECT_EQ(Run("no_such_command_anywhere").status, 127);
}

TEST_F(ShellLineTest, Signals) {
  EXPECT_EQ(Run("kill -SEGV $$").Text(), "ended by signal 11 (Segmentation fault)");
  // As a shell tells of its last command.
  const ShellEnd end = Run("sh -c 'kill -ABRT $$'; exit $?");
  EXPECT_EQ(end.signal, 6);
  EXPECT_FALSE(end.ok());
}

TEST_F(ShellLineTest, ALimitEndsItAndWhatItStarted) {
  const std::string late = folder_.Path("late");
  const absl::Time begin = absl::Now();
  const ShellEnd end =
      Run(absl::StrCat("(sleep 2; touch ", late, ") & sleep 60"), absl::Seconds(1));
  EXPECT_TRUE(end.timed_out);
  EXPECT_FALSE(end.ok());
  EXPECT_EQ(end.Text(), "no end within 1s");
  EXPECT_LT(absl::Now() - begin, absl::Seconds(30));
  absl::SleepFor(absl::Seconds(2));
  EXPECT_FALSE(std::filesystem::exists(late));
}

TEST_F(ShellLineTest, AFileThatCannotBeWritten) {
  absl::StatusOr<ShellLines> shell = ShellLines::Create();
  ASSERT_TRUE(shell.ok());
  const auto end = shell->Run("true", folder_.Path("none/output.txt"), absl::Seconds(1));
  EXPECT_EQ(end.status().code(), absl::StatusCode::kPermissionDenied);
}

TEST(ShellWordTest, QuotesWhatNeedsIt) {
  EXPECT_EQ(ShellWord("a/b-1.onnx"), "a/b-1.onnx");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace onnxcmp

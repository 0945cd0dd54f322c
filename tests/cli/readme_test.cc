// README.md shows what the program prints.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

struct ShownRun {
  std::string command;
  std::string output;
};

// The fenced blocks that begin with a command of a shell.
std::vector<ShownRun> ShownRuns(const std::string& page) {
  std::vector<ShownRun> runs;
  bool inside = false;  // of such a block
  bool fenced = false;
  for (const std::string& line : Lines(page)) {
    if (absl::StartsWith(line, "```")) {
      fenced = !fenced;
      inside = false;
    } else if (fenced && absl::StartsWith(line, "$ ")) {
      inside = true;
      runs.push_back({std::string(absl::StripPrefix(line, "$ ")), ""});
    } else if (inside) {
      absl::StrAppend(&runs.back().output, line, "\n");
    }
  }
  return runs;
}

TEST(ReadmeTest, ShowsWhatTheProgramPrints) {
  const std::vector<ShownRun> runs = ShownRuns(ReadFile(SourceFile("README.md")));
  ASSERT_EQ(runs.size(), 2u);
  for (const ShownRun& run : runs) {
    ASSERT_TRUE(absl::StartsWith(run.command, "onnxcmp ")) << run.command;
    const Outcome outcome = Shell(absl::StrCat("cd '", TestData("readme"), "' && \"$ONNXCMP\" ",
                                               absl::StripPrefix(run.command, "onnxcmp ")));
    EXPECT_EQ(outcome.out, run.output) << "README.md shows something else of: " << run.command;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(run.output, ::testing::EndsWith(absl::StrCat("\nexit ", outcome.status, "\n")));
  }
}

}  // namespace
}  // namespace onnxcmp::testing

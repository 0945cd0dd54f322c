// README.md and the documents show what the program prints, and what compiles.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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
  bool inside = false;  // inside such a block
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

bool IsOfModelsAlone(const std::string& command) {
  return absl::StartsWith(command, "onnxcmp show ");
}

void ExpectPrinted(const std::string& document, const std::string& folder, size_t count) {
  const std::vector<ShownRun> runs = ShownRuns(ReadFile(SourceFile(document)));
  ASSERT_EQ(runs.size(), count);
  for (const ShownRun& run : runs) {
    ASSERT_TRUE(absl::StartsWith(run.command, "onnxcmp ")) << run.command;
    const Outcome outcome = Shell(absl::StrCat("cd '", folder, "' && \"$ONNXCMP\" ",
                                               absl::StripPrefix(run.command, "onnxcmp ")));
    EXPECT_EQ(outcome.out, run.output)
        << document << " shows something else of: " << run.command
        << "\n(script/gallery writes docs/gallery and docs/images/terminal.svg anew)";
    EXPECT_EQ(outcome.err, "");
    if (IsOfModelsAlone(run.command)) continue;
    EXPECT_THAT(run.output, ::testing::EndsWith(absl::StrCat("\nexit ", outcome.status, "\n")));
  }
}

TEST(ReadmeTest, TheTableIsWhatTheProgramPrints) {
  ExpectPrinted("docs/usage.md", TestData("readme"), 1);
}

// The documents of its cases.
std::vector<std::string> GalleryPages() {
  std::vector<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(SourceFile("docs/gallery"))) {
    pages.push_back(absl::StrCat("docs/gallery/", entry.path().filename().string()));
  }
  return pages;
}

TEST(ReadmeTest, TheGalleryShowsWhatTheProgramPrints) {
  const std::string index = ReadFile(SourceFile("docs/gallery.md"));
  EXPECT_GE(GalleryPages().size(), 7U);
  for (const std::string& page : GalleryPages()) {
    ExpectPrinted(page, TestData(""), 1);
    EXPECT_THAT(index, ::testing::HasSubstr(absl::StrCat("](", page.substr(5), ")"))) << page;
  }
}

// Commands that stand alone in a line of a list: "  `onnxcmp ...`".
TEST(ReadmeTest, ItsTasksRun) {
  int tasks = 0;
  for (const std::string& line : Lines(ReadFile(SourceFile("README.md")))) {
    if (!absl::StartsWith(line, "  `onnxcmp ")) continue;
    ++tasks;
    if (absl::StrContains(line, "--against")) continue;  // needs a runtime
    const std::string command = absl::StrReplaceAll(
        line, {{"  `onnxcmp", "\"$ONNXCMP\""}, {"`", ""}, {"-o part", "-o \"$PART\""}});
    const Outcome outcome =
        Shell(absl::StrCat("cd '", TestData("models/llm"), "' && PART=$(mktemp -d)/part && ",
                           command, "; status=$?; rm -rf \"${PART%/part}\"; exit $status"));
    EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.err;
  }
  EXPECT_EQ(tasks, 6);
}

TEST(ReadmeTest, ItsCodeIsOfAnExample) {
  const std::string readme = ReadFile(SourceFile("README.md"));
  const std::string fence = "```cpp\n";
  const size_t start = readme.find(fence);
  ASSERT_NE(start, std::string::npos);
  const size_t end = readme.find("```\n", start + fence.size());
  const std::string code = readme.substr(start + fence.size(), end - start - fence.size());
  EXPECT_THAT(ReadFile(SourceFile("examples/optimizer_test.cc")), ::testing::HasSubstr(code));
}

// The text of a picture, a line for each of its elements.
std::string TextOf(const std::string& svg) {
  std::string text;
  for (const std::string& line : Lines(svg)) {
    if (!absl::StartsWith(line, "<text ")) continue;
    bool tag = false;
    for (const char c : line) {
      if (c == '<') tag = true;
      if (!tag) text += c;
      if (c == '>') tag = false;
    }
    text += '\n';
  }
  return absl::StrReplaceAll(
      text, {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#x27;", "'"}, {"&amp;", "&"}});
}

// What a command draws, run in this folder of the test data.
std::string Drawn(const std::string& folder, const std::string& arguments) {
  const Outcome outcome = Shell(
      absl::StrCat("cd '", folder, "' && F=$(mktemp) && \"$ONNXCMP\" ", arguments,
                   IsOfModelsAlone("onnxcmp " + arguments) ? " --format svg --output" : " --svg",
                   " \"$F\" >/dev/null; cat \"$F\"; rm \"$F\""));
  return outcome.out;
}

TEST(ReadmeTest, ItsPictureIsWhatTheProgramDraws) {
  EXPECT_EQ(Drawn(TestData("readme"), "attention.onnxtxt attention_exported.onnxtxt"),
            ReadFile(SourceFile("docs/images/comparison.svg")))
      << "script/gallery draws it anew";
}

TEST(ReadmeTest, PicturesOfTheGalleryAreWhatTheProgramDraws) {
  for (const std::string& page : GalleryPages()) {
    const std::string text = ReadFile(SourceFile(page));
    const size_t begin = text.find("](../images/");
    ASSERT_NE(begin, std::string::npos) << page;
    const std::string file = text.substr(begin + 5, text.find(')', begin) - begin - 5);
    const std::vector<ShownRun> runs = ShownRuns(text);
    ASSERT_EQ(runs.size(), 1U) << page;
    const std::string arguments(absl::StripPrefix(runs[0].command, "onnxcmp "));
    EXPECT_EQ(Drawn(TestData(""), arguments), ReadFile(SourceFile("docs/" + file)))
        << "script/gallery draws it anew";
  }
}

TEST(ReadmeTest, ThePictureShowsWhatTheProgramPrints) {
  const std::string text = TextOf(ReadFile(SourceFile("docs/images/terminal.svg")));
  const std::string command = Lines(text).front();
  ASSERT_TRUE(absl::StartsWith(command, "$ onnxcmp ")) << command;
  const Outcome outcome = Shell(absl::StrCat("cd '", TestData("readme"), "' && \"$ONNXCMP\" ",
                                             absl::StripPrefix(command, "$ onnxcmp ")));
  EXPECT_EQ(text, absl::StrCat(command, "\n", outcome.out));
}

}  // namespace
}  // namespace onnxcmp::testing

// The project's folders are as docs/architecture.md says.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/folder_rules.h"
#include "tests/architecture/project_files.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

const std::vector<std::string>& Rooms() {
  static const auto& rooms = *new std::vector<std::string>{
      "cli",    "compare", "evaluator", "feed", "generate", "ops",  "prove",
      "record", "reports", "samples",   "show", "testing",  "tools"};
  return rooms;
}

TEST(Architecture, NobodyIncludesWhatStandsAbove) {
  const absl::StatusOr<FolderRules> rules = ReadFolderRules(TextOf(Document("architecture.md")));
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_GE(rules->folders.size(), 30U);
  const SourceFiles files = FilesOf(Rooms());
  EXPECT_GE(files.size(), 500U);
  EXPECT_EQ(Lines(ForbiddenIncludes(*rules, files)), "");
}

TEST(Architecture, OneNameOneType) {
  std::vector<std::string> rooms = Rooms();
  rooms.insert(rooms.end(), {"include", "python", "show"});
  EXPECT_EQ(Lines(TypesDefinedTwice(FilesOf(rooms))), "");
}

TEST(Architecture, CommentsBeginWithANoun) {
  EXPECT_EQ(Lines(CommentsThatAsk(
                FilesOf({"cli", "compare", "evaluator", "feed", "generate", "include", "ops",
                         "prove", "record", "reports", "samples", "show", "testing", "tools"}))),
            "");
}

TEST(Architecture, FoldersDoNotIncludeEachOther) {
  EXPECT_EQ(Lines(FolderCircles(FilesOf(Rooms()))), "");
}

// Files and folders that a document names in backquotes, from the project's root on.
std::vector<std::string> NamedPaths(const std::string& document) {
  std::vector<std::string> paths;
  for (const std::string& room : Rooms()) {
    const std::string mark = "`" + room + "/";
    for (size_t at = document.find(mark); at != std::string::npos;
         at = document.find(mark, at + 1)) {
      paths.push_back(document.substr(at + 1, document.find('`', at + 1) - at - 1));
    }
  }
  return paths;
}

TEST(Architecture, FilesAreWhereTheDocumentsSay) {
  std::vector<std::string> missing;
  size_t named = 0;
  for (const char* document : {"architecture.md", "internals.md", "performance.md"}) {
    for (const std::string& path : NamedPaths(TextOf(Document(document)))) {
      ++named;
      // The name of a header may be without its extension.
      if (!std::filesystem::exists(SourceFile(path)) &&
          !std::filesystem::exists(SourceFile(path + ".h"))) {
        missing.push_back(std::string(document) + ": " + path);
      }
    }
  }
  EXPECT_GE(named, 50U);
  EXPECT_EQ(Lines(missing), "");
}

// A source and its header are one unit. But for folders that mirror ONNX's own.
TEST(Architecture, NoFolderHasMoreThanTwentyFiveUnits) {
  SourceFiles files = FilesOf({"cli", "compare", "evaluator", "feed", "generate", "ops", "prove",
                               "record", "reports", "samples", "testing", "tools", "tests"});
  std::erase_if(files, [](const auto& file) {
    const std::string folder = std::filesystem::path(file.first).parent_path().string();
    return folder == "ops/math" || folder == "ops/nn" || folder == "ops/tensor" ||
           folder == "ops/traditionalml" || folder == "tests/ops/math" ||
           folder == "tests/ops/nn" || folder == "tests/ops/tensor";
  });
  EXPECT_EQ(Lines(LargeFolders(files, 25)), "");
}

}  // namespace
}  // namespace onnxcmp

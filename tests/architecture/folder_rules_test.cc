// The rules themselves, on projects of a few lines.
#include "tests/architecture/folder_rules.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kDocument[] = R"(# House

| folder | what is in it | may include |
| --- | --- | --- |
| `base/` | | |
| `house/` | | base |
| `shed/` | | base, house/cellar |

### `house/`

| folder | what is in it | may include |
| --- | --- | --- |
| `cellar/` | | |
| `rooms/kitchen/`, `rooms/bath/` | | `cellar/` |
| `roof/` | | rooms |
| `house/` itself | | all above |

| other | table |
| --- | --- |
| `nothing/` | x |
)";

FolderRules Rules() {
  const absl::StatusOr<FolderRules> rules = ReadFolderRules(kDocument);
  EXPECT_TRUE(rules.ok()) << rules.status();
  return rules.ok() ? *rules : FolderRules();
}

// A file in every folder of the house, and these.
SourceFiles House(const SourceFiles& others) {
  SourceFiles files = {{"base/a.h", ""},
                       {"house/cellar/a.h", ""},
                       {"house/rooms/kitchen/a.h", ""},
                       {"house/rooms/bath/a.h", ""},
                       {"house/roof/a.h", ""},
                       {"house/a.h", ""}};
  for (const auto& [path, text] : others) files[path] = text;
  return files;
}

TEST(FolderRules, WhatTheTablesSay) {
  const FolderRules rules = Rules();
  EXPECT_THAT(rules.rooms.at("shed"), ElementsAre("base", "house/cellar"));
  EXPECT_THAT(rules.folders.at("house/rooms/bath"), ElementsAre("house/cellar"));
  EXPECT_THAT(rules.folders.at("house/roof"),
              ElementsAre("house/rooms/bath", "house/rooms/kitchen"));
  EXPECT_EQ(rules.folders.at("house").size(), 4U);
  EXPECT_EQ(rules.folders.size(), 5U);
}

TEST(FolderRules, WhatIsAllowedIsNotReported) {
  EXPECT_THAT(
      ForbiddenIncludes(
          Rules(),
          House({{"house/roof/a.cc",
                  "#include <map>\n#include \"house/generated.h\"\n"
                  "#include \"house/roof/a.h\"\n#include \"base/a.h\"\n"
                  "#include \"house/rooms/bath/a.h\"\n"},
                 {"house/a.cc", "#include \"house/roof/a.h\"\n"},
                 {"shed/a.cc", "#include \"house/cellar/a.h\"\n#include \"shed/b/a.h\"\n"}})),
      IsEmpty());
}

TEST(FolderRules, FileAndLineOfEachViolation) {
  EXPECT_THAT(
      ForbiddenIncludes(Rules(),
                        House({{"house/cellar/b.h", "\n\n#include \"house/roof/a.h\"\n"},
                               {"house/rooms/bath/b.h", "#include \"house/rooms/kitchen/a.h\"\n"},
                               {"house/roof/b.h", "#include \"house/cellar/a.h\"\n"},
                               {"base/b.h", "#include \"house/a.h\"\n"},
                               {"shed/b.h", "#include \"house/roof/a.h\"\n"}})),
      ElementsAre("base/b.h:1: base/ may not include house/ (house/a.h)",
                  "house/cellar/b.h:3: house/cellar/ may not include house/roof/ (house/roof/a.h)",
                  "house/roof/b.h:1: house/roof/ may not include house/cellar/ (house/cellar/a.h)",
                  "house/rooms/bath/b.h:1: house/rooms/bath/ may not include house/rooms/kitchen/ "
                  "(house/rooms/kitchen/a.h)",
                  "shed/b.h:1: shed/ may not include house/roof/ (house/roof/a.h)"));
}

TEST(FolderRules, FoldersWithoutARowAndRowsWithoutAFolder) {
  SourceFiles files = House({{"house/attic/a.h", ""}, {"stable/a.h", ""}});
  files.erase("house/rooms/bath/a.h");
  EXPECT_THAT(ForbiddenIncludes(Rules(), files),
              ElementsAre("house/attic/ is in no table", "stable/ is in no table",
                          "house/rooms/bath/ is in a table and has no files"));
}

TEST(FolderRules, ATableThatCannotBe) {
  const auto error = [](const std::string& rows) {
    const absl::StatusOr<FolderRules> rules =
        ReadFolderRules("| folder | may include |\n| --- | --- |\n" + rows);
    return rules.ok() ? "" : std::string(rules.status().message());
  };
  EXPECT_THAT(error("| `a/` | b |\n| `b/` | |\n"), HasSubstr("'b', which is no folder above it"));
  EXPECT_THAT(error("| `a/` | a |\n"), HasSubstr("'a', which is no folder above it"));
  EXPECT_THAT(error("| `a/` | |\n| `a/` | |\n"), HasSubstr("two rows are of a"));
  EXPECT_THAT(error("| `a/` |\n"), HasSubstr("too few cells"));
}

TEST(FolderRules, Circles) {
  EXPECT_THAT(
      FolderCircles(
          {{"a/x.h", "#include \"b/x.h\"\n"}, {"b/x.h", "#include \"c/x.h\"\n"}, {"c/x.h", ""}}),
      IsEmpty());
  EXPECT_THAT(FolderCircles({{"a/x.h", "#include \"b/x.h\"\n"},
                             {"a/y.h", ""},
                             {"b/x.h", "\n#include \"b/c/x.h\"\n"},
                             {"b/c/x.h", "#include \"a/y.h\"\n#include \"d/x.h\"\n"},
                             {"d/x.h", ""}}),
              ElementsAre("folders include each other:\n"
                          "  a/x.h:1 includes b/x.h\n"
                          "  b/x.h:2 includes b/c/x.h\n"
                          "  b/c/x.h:1 includes a/y.h"));
}

TEST(FolderRules, LargeFolders) {
  EXPECT_THAT(LargeFolders({{"a/x.h", ""}, {"a/x.cc", ""}, {"a/y.h", ""}, {"a/b/x.h", ""}}, 1),
              ElementsAre("a/ has 2 units"));
}

TEST(FolderRules, CommentsThatAsk) {
  const SourceFiles files = {{"a.h",
                              "// What a node is.\n"
                              "// The inputs, and\n"
                              "// which of them are constant.\n"
                              "int count = 0;  // whether it is\n"
                              "int size = 0;   // of what remains\n"
                              "//\n"
                              "  // Whether so.\n"}};
  EXPECT_THAT(CommentsThatAsk(files),
              ElementsAre("a.h:1: What a node is.", "a.h:4: whether it is"));
}

TEST(FolderRules, TypesDefinedTwice) {
  const auto in = [](const std::string& name, const std::string& text) {
    return "namespace " + name + "{\n" + text + "\n}  // namespace " + name + "\n";
  };
  EXPECT_THAT(TypesDefinedTwice({{"a.h", in("n ", "class A {\nenum class E : uint8_t { kX };")},
                                 {"b.h", in("n ", "struct A : B {")},
                                 {"c.cc", in("n ", "enum class E {")}}),
              ElementsAre("n::A is in a.h and in b.h", "n::E is in a.h and in c.cc"));
  const std::string a = in("n ", "class A {");
  EXPECT_THAT(TypesDefinedTwice({{"a.h", a}, {"b.h", in("m ", "class A {")}}), IsEmpty());
  EXPECT_THAT(TypesDefinedTwice({{"a.h", a}, {"b.h", in("n ", "class A;\nclass A::B {")}}),
              IsEmpty());
  EXPECT_THAT(TypesDefinedTwice({{"a.h", a}, {"b.cc", in("n ", in("", "class A {"))}}), IsEmpty());
  EXPECT_THAT(TypesDefinedTwice({{"a.h", a}, {"b.h", in("n ", "struct A<int> {")}}), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp

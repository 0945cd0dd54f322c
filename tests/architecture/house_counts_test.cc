// Numbers that may fall and not rise, and how they are counted.
#include "tests/architecture/house_counts.h"

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/architecture/project_files.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Counted today. A number that falls is lowered here; one that rises needs a reason in the commit.
constexpr HouseRow kHouse[] = {
    {"files that write agree or a verdict", 1},
    {"numeric constants", 618},
    {"numeric constants that share a name", 122},
    {"observers", 15},
    {"calls of Revisit", 1},
    {"types in headers", 692},
    {"functions hidden in a batch", 3},
    {"rooms of compare", 28},
    {"arrows between rooms of compare", 96},
};

TEST(Architecture, CountsDoNotRise) {
  const SourceFiles files =
      FilesOf({"cli", "compare", "evaluator", "feed", "generate", "ops", "prove", "python",
               "record", "reports", "samples", "show", "testing", "tools"});
  const std::vector<HouseCount> counts = CountHouse(files);
  for (const HouseCount& count : counts) std::cout << HouseLine(count) << "\n";
  EXPECT_EQ(Lines(WrongRows(kHouse, counts)), "");
}

// The count of that name.
HouseCount Counted(const std::string& name, const SourceFiles& files) {
  for (HouseCount& count : CountHouse(files)) {
    if (count.name == name) return std::move(count);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(HouseCounts, CodeWithoutWords) {
  EXPECT_EQ(CodeOf("a;  // b = \"c\n/* d */ e = \"\\\"//\"\n  + '\"' + 1'000;"),
            "a; e = \"\" + '' + 1'000;");
  EXPECT_EQ(CodeOf("x = R\"(agree = 1)\" + R\"py(\")\" )py\";"), "x = \"\" + \"\";");
}

TEST(HouseCounts, FilesThatWriteVerdicts) {
  const std::string writers = "files that write agree or a verdict";
  const auto writes = [&](const std::string& code) {
    return Counted(writers, {{"cli/a.cc", code}}).Sum() == 1;
  };
  EXPECT_TRUE(writes("pair.difference.agree = false;"));
  EXPECT_TRUE(writes("outputs->agree &= other;"));
  EXPECT_TRUE(writes("if (x) {\n  agree = true;"));
  EXPECT_TRUE(writes("comparison.verdict =\n    Worst();"));
  EXPECT_TRUE(writes("return Verdict::kSame;"));
  EXPECT_TRUE(writes("return same ? Verdict::kSame : other;"));
  EXPECT_TRUE(writes("Verdict worst = Verdict::kSame;"));
  EXPECT_TRUE(writes("return {.agree = true};"));
  EXPECT_FALSE(writes("if (comparison.verdict == Verdict::kSame) return a.agree == b.agree;"));
  EXPECT_FALSE(writes("if (x <= Verdict::kClose || x != Verdict::kFailed) return;"));
  EXPECT_FALSE(writes("if (onnxcmp::Verdict::kSame == x && x != onnxcmp::Verdict::kClose) {"));
  EXPECT_FALSE(writes("switch (verdict) {\n  case Verdict::kSame:\n  case Verdict::kClose:"));
  EXPECT_FALSE(writes("const Verdict verdict = VerdictOf(chain);"));
  EXPECT_FALSE(writes("options.ties_agree = true;  // agree = true;"));
  EXPECT_FALSE(writes("const char* text = \"; agree = 1\";"));
  const std::string type =
      "struct A {\n  bool agree = true;\n  Verdict verdict = Verdict::kSame;\n};";
  EXPECT_EQ(Counted(writers, {{"cli/a.h", type}, {"ops/a.cc", "a.agree = b;"}}).Sum(), 0U);
  EXPECT_EQ(Counted(writers, {{"compare/a/b.h", type + "a.agree = b;"}}).Sum(), 1U);
}

TEST(HouseCounts, NumericConstants) {
  const SourceFiles files = {
      {"compare/a/x.cc", "constexpr int kFew = 3, kMany = 4;\nconst double kLong =\n    -1e-3;"},
      {"compare/a/b/y.h", "inline constexpr int64_t kFew = int64_t{1} << 22;"},
      {"prove/z.cc",
       "constexpr Limits kLimits = {.most = 3, .least = 2};\n"
       "constexpr int kList[] = {1, 2}, kText3 = Size(k2);\n"
       "constexpr char kName[] = \"12\";\nconstexpr uint32_t kMask = Bit(Trait::k1);\n"
       "constexpr absl::string_view kWord = \"12\";"},
      {"cli/z.cc", "constexpr int kFew = 3;"}};
  EXPECT_THAT(Counted("numeric constants", files).by_folder,
              ElementsAre(Pair("compare/a", 4), Pair("prove", 1)));
  EXPECT_THAT(Counted("numeric constants that share a name", files).by_folder,
              ElementsAre(Pair("compare/a", 2)));
}

TEST(HouseCounts, ObserversCallsAndTypes) {
  const SourceFiles files = {
      {"compare/x.h",
       "class A;\nclass B : public Observer {\n  struct C final : public Observer {};\n"
       "};\nenum class D : uint8_t { kE };\ntemplate <class F> struct G {};\n"
       "void H(struct I* i, const Observer& observer) {}"},
      {"cli/x.cc",
       "class J::K : public Base, public Observer {};\nside->Revisit(a);\n"
       "b.Revisit(c);\nSide::Revisit(d);"},
      {"evaluator/x.h", "class L : public Observer {};"},
      {"tools/m.cc", "struct N {};"}};
  EXPECT_THAT(Counted("observers", files).by_folder,
              ElementsAre(Pair("cli", 1), Pair("compare", 2)));
  EXPECT_THAT(Counted("calls of Revisit", files).by_folder, ElementsAre(Pair("cli", 2)));
  EXPECT_THAT(Counted("types in headers", files).by_folder, ElementsAre(Pair("compare", 4)));
}

TEST(HouseCounts, RoomsAndArrows) {
  const SourceFiles files = {
      {"compare/a/x.h", "#include \"compare/a/y.h\"\n#include \"compare/b/x.h\"\n"},
      {"compare/a/y.h", "#include \"compare/b/y.h\"\n#include \"evaluator/x.h\"\n"},
      {"compare/b/c/x.h", "#include \"compare/a/x.h\"\n"},
      {"cli/x.h", "#include \"compare/a/x.h\"\n"}};
  EXPECT_THAT(Counted("rooms of compare", files).by_folder,
              ElementsAre(Pair("compare/a", 1), Pair("compare/b", 1)));
  EXPECT_THAT(Counted("arrows between rooms of compare", files).by_folder,
              ElementsAre(Pair("compare/a", 1), Pair("compare/b", 1)));
}

TEST(HouseCounts, TableIsExact) {
  const std::vector<HouseCount> counts = {{"rooms", {{"a", 2}, {"b", 1}}}, {"doors", {{"a", 1}}}};
  EXPECT_THAT(WrongRows({{"doors", 1}, {"rooms", 3}}, counts), IsEmpty());
  EXPECT_THAT(WrongRows({{"doors", 2}, {"rooms", 2}}, counts),
              ElementsAre("rooms rose from 2 to 3: do without, or say in the commit why not",
                          "doors fell from 2 to 1: thank you; write 1 into the table"));
  EXPECT_THAT(WrongRows({{"rooms", 3}, {"lamps", 1}}, counts),
              ElementsAre("no row of the table has doors: 1 (a 1)",
                          "nothing counts what the table calls lamps"));
}

}  // namespace
}  // namespace onnxcmp

// Manifests of batches, patterns and folders.
#include "cli/batch/manifest.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/batch/batch_pair.h"
#include "cli/batch/pair_files.h"
#include "tests/support/load_test.h"

namespace onnxcmp::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestFolder;

std::string InFolder(const TestFolder& folder, const std::string& name) {
  return std::filesystem::path(folder.Path(name)).lexically_normal().string();
}

std::string ErrorOfManifest(const std::string& text) {
  const TestFolder folder;
  const auto pairs = ReadManifest(folder.Write("m.csv", text));
  return pairs.ok() ? "" : std::string(pairs.status().message());
}

TEST(ParseCsvTest, QuotesLineBreaksAndRemarks) {
  const auto records = ParseCsv("a,b\r\n\"x, \"\"y\"\"\",\"two\nlines\"\n# no pair\n\n,last");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 3u);
  EXPECT_THAT((*records)[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT((*records)[1].fields, ElementsAre("x, \"y\"", "two\nlines"));
  EXPECT_THAT((*records)[2].fields, ElementsAre("", "last"));
  EXPECT_EQ((*records)[2].line, 6);
  EXPECT_THAT(ParseCsv("a\n\"b").status().message(), HasSubstr("line 2: a quote is not closed"));
}

TEST(ParseCsvTest, OnlyALineThatBeginsWithAHashIsARemark) {
  const auto records = ParseCsv("# none, yet\na,b\n#out,\"of\nc,\"x\n# in it\"\n\"#3\",d\n#");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 3u);
  EXPECT_THAT((*records)[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT((*records)[1].fields, ElementsAre("c", "x\n# in it"));
  EXPECT_EQ((*records)[1].line, 4);
  EXPECT_THAT((*records)[2].fields, ElementsAre("#3", "d"));
  EXPECT_EQ((*records)[2].line, 6);
}

TEST(SplitShellWordsTest, AsAShellDoes) {
  EXPECT_THAT(*SplitShellWords(R"(--rtol 1e-3 --pair "a b"='c d' x\ y '')"),
              ElementsAre("--rtol", "1e-3", "--pair", "a b=c d", "x y", ""));
  EXPECT_FALSE(SplitShellWords("'open").ok());
}

TEST(ManifestTest, CsvAndJsonLinesSayTheSame) {
  const TestFolder folder;
  folder.Write("in.npz", "");
  const std::string csv = folder.Write("m.csv",
                                       "name,left,right,inputs,tags,options,expect,cause\n"
                                       "one,a.onnx,/b/c.onnx,in.npz,cnn; small,--rtol 1e-3 "
                                       "--left-inputs=in.npz,different,epsilon\n");
  const std::string lines = folder.Write(
      "m.jsonl",
      "\n{\"name\": \"one\", \"left\": \"a.onnx\", \"right\": \"/b/c.onnx\", \"inputs\": "
      "\"in.npz\","
      "\"tags\": [\"cnn\", \"small\"], \"options\": [\"--rtol\", \"1e-3\", "
      "\"--left-inputs=in.npz\"], \"expect\": [\"different\"], \"cause\": \"epsilon\"}\n");
  const auto of_csv = ReadManifest(csv);
  const auto of_lines = ReadManifest(lines);
  ASSERT_TRUE(of_csv.ok()) << of_csv.status();
  ASSERT_TRUE(of_lines.ok()) << of_lines.status();
  ASSERT_EQ(of_csv->size(), 1u);
  EXPECT_EQ(ManifestLine((*of_csv)[0]), ManifestLine((*of_lines)[0]));
  const BatchPair& pair = (*of_csv)[0];
  EXPECT_EQ(pair.left, InFolder(folder, "a.onnx"));
  EXPECT_EQ(pair.right, "/b/c.onnx");
  EXPECT_THAT(pair.tags, ElementsAre("cnn", "small"));
  EXPECT_THAT(pair.options,
              ElementsAre("--rtol", "1e-3", "--left-inputs=" + InFolder(folder, "in.npz")));
  EXPECT_THAT(pair.expected.verdicts, ElementsAre("different"));
  // A line that was written is read as the same pair.
  const auto again = ReadManifest(folder.Write("again.jsonl", ManifestLine(pair)));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ManifestLine((*again)[0]), ManifestLine(pair));
}

TEST(ManifestTest, ErrorsNameTheLine) {
  EXPECT_THAT(ErrorOfManifest("left,rights\na,b\n"),
              HasSubstr("there is no column 'rights'; did you mean `right`?"));
  EXPECT_THAT(ErrorOfManifest("left,right,Right\na,b,c\n"),
              HasSubstr("line 1: there are two columns `right`"));
  EXPECT_THAT(ErrorOfManifest("left,right\na,b\nc\n"), HasSubstr("line 3: `right` is missing"));
  EXPECT_THAT(ErrorOfManifest("left,right\na,b,c\n"), HasSubstr("line 2: 3 fields, but 2 columns"));
  EXPECT_THAT(ErrorOfManifest("left,right,expect\na,b,diferent\n"),
              HasSubstr("'diferent' is no verdict; did you mean `different`?"));
  EXPECT_THAT(ErrorOfManifest("{\"left\": 3}"), HasSubstr("line 1: `left` is a text"));
  EXPECT_THAT(ErrorOfManifest("{\"left\": \"a\"\n"), HasSubstr("line 1: it is no JSON"));
  EXPECT_EQ(ErrorOfManifest("left,right\na,b\n"), "");
}

TEST(ManifestTest, NamesAreUnique) {
  std::vector<BatchPair> pairs(3);
  pairs[0].left = "/zoo/x/m.onnx";
  pairs[1].left = "/other/x/m.onnx";
  pairs[2].left = "/zoo/y/m.onnx";
  ASSERT_TRUE(NameBatchPairs(&pairs).ok());
  EXPECT_EQ(pairs[0].name, "x/m");
  EXPECT_EQ(pairs[1].name, "x/m#2");
  EXPECT_EQ(pairs[2].name, "y/m");
  pairs[1].name = "y/m";
  EXPECT_THAT(NameBatchPairs(&pairs).message(), HasSubstr("two pairs are called 'y/m'"));
}

TEST(PairFilesTest, PatternsHaveCaptures) {
  const TestFolder folder;
  for (const char* name : {"m10", "m2"}) {
    std::filesystem::create_directories(folder.Path(name));
    folder.Write(std::string(name) + "/before.onnx", "");
  }
  const auto pairs =
      PairsOfPatterns({folder.Path("m*/before.onnx"), folder.Path("m{1}/after.onnx"), "", "", ""});
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  ASSERT_EQ(pairs->size(), 2u);
  EXPECT_EQ((*pairs)[0].name, "2");
  EXPECT_EQ((*pairs)[0].right, InFolder(folder, "m2/after.onnx"));
  EXPECT_EQ((*pairs)[1].name, "10");
  const auto deep = MatchPaths(folder.path() + "/**/*.onnx");
  ASSERT_TRUE(deep.ok()) << deep.status();
  ASSERT_EQ(deep->size(), 2u);
  EXPECT_THAT((*deep)[0].captured, ElementsAre("m2", "before"));
  EXPECT_THAT(
      PairsOfPatterns({folder.Path("m*/before.onnx"), "{2}", "", "", ""}).status().message(),
      HasSubstr("{2} in {2}: the pattern of --left has 1 wildcards"));
  EXPECT_FALSE(MatchPaths("plain.onnx").ok());
}

TEST(PairFilesTest, FoldersPairByNameAndNothingIsLost) {
  const TestFolder a;
  const TestFolder b;
  for (const char* name : {"both.onnx", "left.onnx", "recorded.onnx", "notes.txt"})
    a.Write(name, "");
  for (const char* name : {"both.onnxtxt", "right.onnx", "recorded.npz"}) b.Write(name, "");
  const auto pairs = PairsOfFolders(a.path(), b.path());
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  std::vector<std::string> names;
  for (const BatchPair& pair : *pairs) names.push_back(pair.name);
  EXPECT_THAT(names, ElementsAre("both", "left", "recorded", "right"));
  EXPECT_EQ((*pairs)[0].right, InFolder(b, "both.onnxtxt"));
  EXPECT_EQ((*pairs)[1].right, InFolder(b, "left.onnx"));  // is not there, which a result will say
  EXPECT_EQ((*pairs)[2].right, InFolder(b, "recorded.npz"));
  EXPECT_EQ((*pairs)[3].left, InFolder(a, "right.onnx"));
  const auto against = PairsAgainst(a.path(), "onnxruntime");
  ASSERT_TRUE(against.ok()) << against.status();
  EXPECT_EQ(against->size(), 3u);
  EXPECT_FALSE(PairsAgainst(a.Path("none"), "onnxruntime").ok());
}

TEST(ExpectedVerdictsTest, AgreementIsTheDefault) {
  EXPECT_THAT(*ParseExpectedVerdicts("agree"), IsEmpty());
  EXPECT_THAT(*ParseExpectedVerdicts("Different, failed"), ElementsAre("different", "failed"));
  EXPECT_FALSE(ParseExpectedVerdicts("maybe").ok());
}

}  // namespace
}  // namespace onnxcmp::cli

// The examples of docs/alignment.md, stage by stage; and that code and document number them alike.
#include "compare/alignment/alignment_stages.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/model_pair.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kLinear[] = R"((float[2,4] x) => (float[2,3] y)
    <float[4,3] w = {0.1,-0.2,0.3,0.4,0.5,-0.6,0.7,0.8,0.9,-1.0,1.1,1.2},
     float[3] b = {0.5,-0.25,0.125}> { m = MatMul(x, w) s = Add(m, b) y = Relu(s) })";

std::vector<std::string> RowsOf(absl::string_view left, absl::string_view right) {
  const auto comparison = testing::CompareGraphs(left, right, testing::GivenFeeds());
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? testing::RowTexts(*comparison) : std::vector<std::string>();
}

TEST(AlignmentStages, EightElementsInAnotherOrder) {
  EXPECT_THAT(RowsOf(R"((float[2,4] x) => (float[2,3] y)
                 <float[4,3] w = {0.1,-0.2,0.3,0.4,0.5,-0.6,0.7,0.8,0.9,-1.0,1.1,1.2}> {
                 y = Gemm(x, w) })",
                     R"((float[2,4] x) => (float[2,3] y)
                 <float[3,4] v = {0.1,0.4,0.7,-1.0,-0.2,0.5,0.8,1.1,0.3,-0.6,0.9,1.2}> {
                 y = Gemm<transB = 1>(x, v) })"),
              Contains(AllOf(HasSubstr(" w | "), HasSubstr(" v transposed"))));
}

TEST(AlignmentStages, TenStructureWhereValuesAreApart) {
  const std::vector<std::string> rows =
      RowsOf(kLinear, absl::StrReplaceAll(kLinear, {{"0.125}", "0.625}"}}));
  EXPECT_THAT(rows, Contains("different Add s | Add s"));
  EXPECT_THAT(rows, Contains(AllOf(StartsWith("different "), HasSubstr(" b | "))));
}

TEST(AlignmentStages, ThirteenGaps) {
  const std::string left = R"((float[2,4] x) => (float[2,4] y) <float[4] w = {0.3,0.5,-0.7,0.9}> {
      h = Mul(x, w) a = Sigmoid(h) y = Mul(a, x) })";
  EXPECT_THAT(RowsOf(left, absl::StrReplaceAll(left, {{"Sigmoid(", "HardSigmoid<alpha=0.5>("}})),
              Contains("different Sigmoid a | HardSigmoid a"));
}

TEST(AlignmentStages, FifteenReconvergence) {
  const std::string left = R"((float[2,4] x) => (float[2,4] y) <float one = {1.0}> {
      s = Sub(x, one) q = Mul(s, s) y = Tanh(q) })";
  const std::vector<std::string> rows =
      RowsOf(left, absl::StrReplaceAll(left, {{"(x, one)", "(one, x)"}}));
  EXPECT_THAT(rows, Contains(HasSubstr("same Mul q | Mul q")));
  EXPECT_THAT(rows, Not(Contains(HasSubstr("different"))));
}

TEST(AlignmentStages, SixteenMerging) {
  EXPECT_THAT(RowsOf(R"((float[2,4] x) => (float[2,4] y)
                 <float[4] w1 = {0.3,0.5,-0.7,0.9}, float[4] w2 = {0.3,0.5,-0.7,0.9}> {
                 h = Mul(x, w1) y = Add(h, w2) })",
                     R"((float[2,4] x) => (float[2,4] y) <float[4] w1 = {0.3,0.5,-0.7,0.9}> {
                 h = Mul(x, w1) y = Add(h, w1) })"),
              Contains(AllOf(HasSubstr(" w2 | "), HasSubstr(" w1 merged"))));
}

TEST(AlignmentStages, SeventeenRegions) {
  EXPECT_THAT(RowsOf(kLinear, absl::StrReplaceAll(kLinear, {{"m = MatMul(x, w) s = Add(m, b)",
                                                             "s = Gemm(x, w, b)"}})),
              Contains("same Add s | Gemm s fused"));
}

std::string TextOfSource(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// "### 8 elements" of the document is "Stage 8, elements" or "stage 8, elements" of a header.
TEST(AlignmentStages, CodeAndDocumentNumberThemAlike) {
  const std::string document = TextOfSource(Document("alignment.md"));
  std::string headers;
  for (const char* name : {"alignment_stages", "alignment_reconvergence", "alignment_merging",
                           "alignment_regions", "alignment_rows", "value_evidence"}) {
    headers += TextOfSource(SourceFile(absl::StrCat("compare/alignment/", name, ".h")));
  }
  headers += TextOfSource(SourceFile("compare/recorded/pair_recording.h"));
  int number = 0;
  for (size_t at = document.find("\n### "); at != std::string::npos;
       at = document.find("\n### ", at + 1)) {
    ++number;
    const std::string heading = document.substr(at + 5, document.find('\n', at + 1) - at - 5);
    const std::string name = heading.substr(0, heading.find(" ("));
    const std::string start = absl::StrCat(number, " ");
    ASSERT_TRUE(absl::StartsWith(name, start)) << heading;
    EXPECT_TRUE(
        absl::StrContains(headers, absl::StrCat("tage ", number, ", ", name.substr(start.size()))))
        << heading;
  }
  EXPECT_EQ(number, 19);
}

TEST(AlignmentRules, TheDocumentHasEachRowOfTheTable) {
  const std::string document = TextOfSource(Document("alignment.md"));
  size_t rows = 0;
  for (size_t at = document.find("| rule | looks at |"); document[at] == '|';
       at = document.find('\n', at) + 1) {
    ++rows;
  }
  EXPECT_EQ(rows, AllRules().size() + 1) << "a row for the head, one below, none for kNone";
  for (const RuleRow& rule : AllRules()) {
    if (rule.rule == Rule::kNone) continue;
    const std::string points = rule.points == 0 ? "" : absl::StrCat(rule.points);
    EXPECT_THAT(document, HasSubstr(absl::StrCat("| ", rule.name, " | ", rule.looks_at, " | ",
                                                 points, " | ")));
    const size_t at = document.find(absl::StrCat("| ", rule.name, " | ", rule.looks_at));
    if (at == std::string::npos) continue;
    const std::string row = document.substr(at, document.find('\n', at) - at);
    EXPECT_EQ(absl::StrContains(row, "| beside |"), rule.beside) << row;
    EXPECT_EQ(absl::EndsWith(row, "| yes |"), rule.runs) << row;
  }
}

// Claims of recordings beat all of the aligner's.
TEST(AlignmentRules, RecordingsBeatTheAligner) {
  for (const RuleRow& rule : AllRules()) {
    EXPECT_EQ(rule.points >= 80, rule.rule >= Rule::kLayouts) << rule.name;
  }
}

}  // namespace
}  // namespace onnxcmp

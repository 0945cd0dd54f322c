#include "reports/table/table_names.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/text/display_text.h"
#include "reports/table/table_layout.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<TableLine> Lines(const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<TableLine> lines;
  for (const auto& [left, right] : names) {
    TableLine& line = lines.emplace_back();
    line.number = static_cast<int64_t>(lines.size()) - 1;
    line.sign = Relation::kClose;
    line.cell(TableColumn::kLeftOp) = "Add";
    line.cell(TableColumn::kLeftName) = left;
    line.cell(TableColumn::kRightOp) = "Add";
    line.cell(TableColumn::kRightName) = right;
  }
  return lines;
}

std::vector<std::string> LeftNames(std::vector<TableLine> lines) {
  std::vector<std::string> names;
  for (TableLine& line : lines) {
    names.push_back(line.kind == TableLine::Kind::kHeading ? line.text
                                                           : line.cell(TableColumn::kLeftName));
  }
  return names;
}

TEST(ShortenNamesTest, WhatMostHaveInCommonIsSaidOnce) {
  std::vector<TableLine> lines = Lines({{"/bert/a/Add_output_0", "/bert/a/Add_output_0"},
                                        {"/bert/b/Mul_output_0", "/bert/b/Mul_output_0"},
                                        {"/bert/c/Div_output_0", ""},
                                        {"/bert/d/Sub_output_0", "fused"},
                                        {"last_hidden_state", "last_hidden_state"}});
  EXPECT_EQ(ShortenNames(&lines), "names without /bert/ and _output_0");
  EXPECT_THAT(LeftNames(lines),
              ElementsAre("a/Add", "b/Mul", "c/Div", "d/Sub", "last_hidden_state"));
}

TEST(ShortenNamesTest, NamesThatWouldBecomeTheSameKeepTheirEnds) {
  std::vector<TableLine> lines = Lines({{"a_output_0", "a"},
                                        {"b_output_0", "b"},
                                        {"c_output_0", "c"},
                                        {"d_output_0", "d"},
                                        {"e_output_0", "e_output_0"},
                                        {"f_output_0", "f_output_0"},
                                        {"g_output_0", ""}});
  EXPECT_EQ(ShortenNames(&lines), "");
  EXPECT_EQ(LeftNames(lines)[0], "a_output_0");
}

TEST(ShortenNamesTest, ScopesOfSeveralRowsAreHeadings) {
  std::vector<TableLine> lines = Lines({{"layer.0/q/Add", "layer.0/q/Add"},
                                        {"layer.0/k/Add", "layer.0/k/Add"},
                                        {"layer.0/v/Add", "layer.0/v/Add"},
                                        {"layer.1/q/Add", "layer.1/q/Add"},
                                        {"layer.1/k/Add", "layer.1/k/Add"},
                                        {"layer.1/v/Add", "fused"}});
  ShortenNames(&lines);
  EXPECT_THAT(LeftNames(lines), ElementsAre("── layer.0 ──", "q/Add", "k/Add", "v/Add",
                                            "── layer.1 ──", "q/Add", "k/Add", "v/Add"));
}

TEST(ShortenNamesTest, ScopesOfOneRowEachAreNone) {
  std::vector<TableLine> lines = Lines({{"a/x", ""}, {"b/x", ""}, {"c/x", ""}});
  ShortenNames(&lines);
  EXPECT_EQ(lines.size(), 3U);
}

TEST(LayOutTest, NarrowRowsKeepTheEndsOfNamesAndTheirNumbers) {
  const std::string base = "/transformer/deep/down/in/the/model/of/somebody/";
  std::vector<std::pair<std::string, std::string>> names;
  for (const char* end : {"first", "second", "third", "fourth", "fifth", "sixth", "seventh",
                          "eighth", "ninth", "tenth", "eleventh"}) {
    names.emplace_back(base + std::string(50, 'x') + end, std::string(70, 'y') + end);
  }
  const TableOptions options = {.width = 80};
  const std::string text = LayOut(Lines(names), options, TableStyle(options));
  EXPECT_THAT(text, HasSubstr("── /transformer/deep/down/in/the/model/of/somebody ──"));
  EXPECT_THAT(text, HasSubstr("\n 0 ≈ Add "));
  EXPECT_THAT(text, HasSubstr("\n10 ≈ Add "));
  EXPECT_THAT(text, HasSubstr("eleventh"));
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(DisplayWidth(text.substr(begin, end - begin)), 80);
    begin = end + 1;
  }
}

TEST(LayOutTest, NumbersLeadToThePage) {
  TableOptions options = {.width = 80};
  const std::vector<TableLine> lines = Lines({{"a", "a"}});
  EXPECT_THAT(LayOut(lines, options, TableStyle(options)), Not(HasSubstr("\x1b")));
  options.page = "file:///tmp/page.html";
  EXPECT_THAT(LayOut(lines, options, TableStyle(options)),
              HasSubstr("\x1b]8;;file:///tmp/page.html#row-0\x1b\\0\x1b]8;;\x1b\\ ≈ Add"));
}

}  // namespace
}  // namespace onnxcmp

#include "reports/table/module_headings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The module and the line that a row's node comes from.
using Place = std::pair<std::string, std::string>;

class ModuleHeadings : public ::testing::Test {
 protected:
  // A row for each place.
  void Rows(const std::vector<Place>& places) {
    for (const auto& [module, line] : places) {
      const int number = static_cast<int>(comparison_.rows.size());
      for (ResultStream* stream : {&comparison_.left, &comparison_.right}) {
        stream->results.emplace_back().node = number;
        StreamNode& node = stream->nodes.emplace_back();
        if (module != "-") node.module = module;
        node.source_line = line;
      }
      ComparedRow& row = comparison_.rows.emplace_back();
      row.aligned.left = {number};
      row.aligned.right = {number};
      lines_.emplace_back().number = number;
    }
  }

  // Each with the number of the row below it.
  std::vector<std::pair<std::string, int64_t>> Headings() {
    AddModuleHeadings(comparison_, &lines_);
    std::vector<std::pair<std::string, int64_t>> headings;
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].kind == TableLine::Kind::kHeading) {
        headings.emplace_back(lines_[i].text, lines_[i + 1].number);
      }
    }
    return headings;
  }

  Comparison comparison_;
  std::vector<TableLine> lines_;
};

std::vector<Place> Times(size_t count, const Place& place) {
  return std::vector<Place>(count, place);
}

TEST_F(ModuleHeadings, NameModulesWithTheirLines) {
  Rows({{"a.0", "net.py:7"}, {"a.0", "net.py:12"}, {"a.0", "net.py:9"}});
  Rows({{"a.1", "net.py:20"}, {"a.1", ""}, {"a.1", "net.py:20"}});
  Rows({{"b", "net.py:3"}, {"b", "other.py:4"}, {"b", "net.py:5"}});
  EXPECT_THAT(Headings(),
              ElementsAre(std::pair("── a.0  net.py:7–12 ──", 0),
                          std::pair("── a.1  net.py:20 ──", 3), std::pair("── b ──", 6)));
}

TEST_F(ModuleHeadings, NameLinesWhereNoModuleIsNoted) {
  Rows(Times(3, {"-", "net.py:7"}));
  Rows(Times(4, {"", "net.py:8"}));
  EXPECT_THAT(Headings(),
              ElementsAre(std::pair("── net.py:7 ──", 0), std::pair("── net.py:8 ──", 3)));
}

TEST_F(ModuleHeadings, AreNoneWhereEachRowWouldHaveOne) {
  for (int i = 0; i < 9; ++i) Rows({{"", "net.py:" + std::to_string(i)}});
  EXPECT_THAT(Headings(), IsEmpty());
}

TEST_F(ModuleHeadings, AreNoneWhereNothingIsNoted) {
  Rows(Times(9, {"-", ""}));
  EXPECT_THAT(Headings(), IsEmpty());
}

TEST_F(ModuleHeadings, AreNoneBesideOthers) {
  Rows(Times(9, {"a", "net.py:1"}));
  TableLine heading;
  heading.kind = TableLine::Kind::kHeading;
  heading.text = "── loop_1[0] ──";
  lines_.insert(lines_.begin(), heading);
  EXPECT_THAT(Headings(), ElementsAre(std::pair("── loop_1[0] ──", 0)));
}

TEST_F(ModuleHeadings, ShowWhatIsNotPrintableAsSuch) {
  Rows(Times(3, {"a\x1b[31m", "\n.py:1"}));
  EXPECT_THAT(Headings(), ElementsAre(std::pair("── a\\x1b[31m  \\n.py:1 ──", 0)));
}

TEST_F(ModuleHeadings, LeaveLinesOutThatAreNoNumbers) {
  Rows(Times(3, {"a", "net.py:x"}));
  EXPECT_THAT(Headings(), ElementsAre(std::pair("── a ──", 0)));
}

TEST_F(ModuleHeadings, TakeARowOfOneSide) {
  Rows(Times(3, {"a", ""}));
  for (ComparedRow& row : comparison_.rows) row.aligned.left.clear();
  EXPECT_THAT(Headings(), ElementsAre(std::pair("── a ──", 0)));
}

}  // namespace
}  // namespace onnxcmp

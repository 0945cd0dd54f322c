#include "tools/classic/classic_alignment.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tools/classic/classic_distance.h"

namespace onnxcmp {

void PrintTo(const ClassicStep& step, std::ostream* out) {
  *out << "(" << step.left << "," << step.right << ")";
}

namespace {

// Rows with a letter each; a '#' is an initializer, so that it pairs with no other.
std::vector<ClassicRow> Rows(const std::string& letters) {
  std::vector<ClassicRow> rows;
  for (const char letter : letters) {
    ClassicRow& row = rows.emplace_back();
    row.kind = letter == '#' ? ClassicKind::kInitializer : ClassicKind::kResult;
    row.letters = {letter == '#' ? 'A' : letter, 'A', 'A', 'A'};
  }
  return rows;
}

std::vector<ClassicStep> Align(const std::vector<ClassicRow>& left,
                               const std::vector<ClassicRow>& right) {
  const auto steps = AlignClassic(left, right);
  EXPECT_TRUE(steps.ok()) << steps.status();
  return steps.ok() ? *steps : std::vector<ClassicStep>();
}

// The definition, word for word: a map of cells, no band arithmetic.
std::vector<ClassicStep> AlignByDefinition(const std::vector<ClassicRow>& left,
                                           const std::vector<ClassicRow>& right) {
  const int64_t n = static_cast<int64_t>(left.size());
  const int64_t m = static_cast<int64_t>(right.size());
  const int64_t lag = std::max<int64_t>(50, std::abs(m - n) + 1);
  using Cell = std::pair<int64_t, int64_t>;
  std::map<Cell, int64_t> cost = {{{-1, -1}, 0}};
  std::map<Cell, Cell> from;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = std::max<int64_t>(0, i - lag); j < std::min(m, i + lag); ++j) {
      const std::pair<Cell, int64_t> candidates[] = {
          {{i - 1, j - 1},
           ClassicDistance(left[static_cast<size_t>(i)], right[static_cast<size_t>(j)])},
          {{i - 1, j}, 1000},
          {{i, j - 1}, 1000}};
      for (const auto& [cell, step] : candidates) {
        if (!cost.contains(cell)) {
          continue;
        }
        const int64_t candidate = cost[cell] + step;
        if (!cost.contains({i, j}) || candidate < cost[{i, j}]) {
          cost[{i, j}] = candidate;
          from[{i, j}] = cell;
        }
      }
    }
  }
  std::vector<ClassicStep> steps;
  for (Cell cell = {n - 1, m - 1}; cell != Cell{-1, -1}; cell = from[cell]) {
    steps.push_back({cell.first, cell.second});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

TEST(AlignClassicTest, EqualStreams) {
  EXPECT_EQ(Align(Rows("ABC"), Rows("ABC")), (std::vector<ClassicStep>{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(AlignClassicTest, TheFirstTwoRowsAreAPairWhateverItCosts) {
  // The extra initializer shifts everything; then the rest is cheaper from the left.
  EXPECT_EQ(Align(Rows("BC"), Rows("#BC")), (std::vector<ClassicStep>{{0, 0}, {0, 1}, {1, 2}}));
}

TEST(AlignClassicTest, PairBeforeAboveBeforeLeft) {
  // Rows that cannot pair for less than two single ones: at 2000 and equal costs the pair wins.
  std::vector<ClassicRow> left = Rows("AA");
  std::vector<ClassicRow> right = Rows("AA");
  left[1].shape = {{1, ""}, {2000, ""}};
  right[1].shape = {{1, ""}, {1000, ""}};  // 1000 + 1000
  ASSERT_EQ(ClassicDistance(left[1], right[1]), 2000);
  EXPECT_EQ(Align(left, right), (std::vector<ClassicStep>{{0, 0}, {1, 1}}));
  // At 2001 both single orders cost 2000: the last cell tries from above first.
  left[1].op_type = "X";
  EXPECT_EQ(Align(left, right), (std::vector<ClassicStep>{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(AlignClassicTest, AnEmptyStreamLeavesTheOtherAlone) {
  EXPECT_EQ(Align(Rows("AB"), Rows("")), (std::vector<ClassicStep>{{0, -1}, {1, -1}}));
  EXPECT_EQ(Align(Rows(""), Rows("A")), (std::vector<ClassicStep>{{-1, 0}}));
  EXPECT_TRUE(Align(Rows(""), Rows("")).empty());
}

TEST(AlignClassicTest, IsTheDefinitionInsideAndAtTheEdgesOfTheBand) {
  std::mt19937 random(7);
  for (const auto& [n, m] : std::vector<std::pair<int, int>>{
           {1, 1}, {1, 7}, {9, 1}, {30, 41}, {120, 120}, {180, 60}, {70, 190}, {203, 150}}) {
    std::vector<ClassicRow> left;
    std::vector<ClassicRow> right;
    for (auto& [rows, size] : {std::pair(&left, n), std::pair(&right, m)}) {
      for (int i = 0; i < size; ++i) {
        ClassicRow& row = rows->emplace_back();
        row.kind = random() % 4 == 0 ? ClassicKind::kInitializer : ClassicKind::kResult;
        row.dtype = random() % 3 == 0 ? "int64" : "float32";
        row.shape = {{static_cast<int64_t>(random() % 40) * 100, ""}};
        row.letters[0] = static_cast<char>('A' + random() % 26);
        row.op_type = random() % 2 == 0 ? "Add" : "Mul";
      }
    }
    EXPECT_EQ(Align(left, right), AlignByDefinition(left, right)) << n << " and " << m;
  }
}

}  // namespace
}  // namespace onnxcmp

#include "reports/layout/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

TEST(RowsTest, WhatReadsStandsBelow) {
  // 0 -> 1 -> 2 -> 3, and 0 -> 3.
  EXPECT_EQ(RowsOf(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}), (std::vector<int>{0, 1, 2, 3}));
}

TEST(RowsTest, AnInputStandsJustAboveItsReader) {
  // 4 is read by 3 alone.
  EXPECT_EQ(RowsOf(5, {{0, 1}, {1, 2}, {2, 3}, {4, 3}})[4], 2);
}

TEST(RowsTest, CirclesEnd) { EXPECT_EQ(RowsOf(2, {{0, 1}, {1, 0}, {1, 1}}).size(), 2U); }

TEST(RowsTest, PairsAreOppositeEachOther) {
  // The second graph has another box between the two of the first.
  const std::vector<std::vector<int>> rows =
      RowsOfAll({{2, {{0, 1}}, {}}, {3, {{0, 1}, {1, 2}}, {{0, 0}, {1, 2}}}});
  EXPECT_EQ(rows[0], (std::vector<int>{0, 2}));
  EXPECT_EQ(rows[1], (std::vector<int>{0, 1, 2}));
}

TEST(RowsTest, PartnersAreOppositeEachOtherFromGraphToGraph) {
  // The third graph has what the first has; the box between them is the second's alone.
  const std::vector<std::vector<int>> rows = RowsOfAll({{2, {{0, 1}}, {}},
                                                        {3, {{0, 1}, {1, 2}}, {{0, 0}, {1, 2}}},
                                                        {2, {{0, 1}}, {{0, 0}, {2, 1}}}});
  EXPECT_EQ(rows[0], (std::vector<int>{0, 2}));
  EXPECT_EQ(rows[1], (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(rows[2], (std::vector<int>{0, 2}));
}

TEST(RowsTest, PairsThatCrossDoNotCloseCircles) {
  const std::vector<std::vector<int>> rows =
      RowsOfAll({{2, {{0, 1}}, {}}, {2, {{0, 1}}, {{0, 1}, {1, 0}}}});
  EXPECT_LT(rows[0][0], rows[0][1]);
  EXPECT_LT(rows[1][0], rows[1][1]);
}

// Boxes of a row do not touch each other, and lines go down.
void ExpectReadable(const std::vector<LayoutBox>& boxes, const std::vector<LayoutLine>& lines) {
  const std::vector<int> rows = RowsOf(static_cast<int>(boxes.size()), lines);
  const Layout layout = LayOut(boxes, lines, rows);
  ASSERT_EQ(layout.centers.size(), boxes.size());
  std::vector<size_t> order(boxes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return rows[a] != rows[b] ? rows[a] < rows[b] : layout.centers[a].x < layout.centers[b].x;
  });
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t i = order[k];
    EXPECT_GE(layout.centers[i].x - boxes[i].width / 2, -1e-6);
    EXPECT_LE(layout.centers[i].x + boxes[i].width / 2, layout.width + 1e-6);
    EXPECT_LE(layout.centers[i].y + boxes[i].height / 2, layout.height + 1e-6);
    if (k == 0 || rows[order[k - 1]] != rows[i]) continue;
    const size_t j = order[k - 1];
    EXPECT_GE(layout.centers[i].x - boxes[i].width / 2,
              layout.centers[j].x + boxes[j].width / 2 + 1);
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<LayoutPoint>& points = layout.lines[i];
    ASSERT_GE(points.size(), 2U);
    for (size_t k = 1; k < points.size(); ++k) EXPECT_GT(points[k].y, points[k - 1].y);
  }
}

TEST(LayoutTest, ADiamondIsReadable) {
  ExpectReadable({{60, 30}, {80, 30}, {40, 50}, {60, 30}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
}

TEST(LayoutTest, ALongLinePassesBetweenBoxes) {
  ExpectReadable({{60, 30}, {80, 30}, {40, 50}, {60, 30}, {90, 20}},
                 {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}});
}

TEST(LayoutTest, ADeepGraphIsReadable) {
  // 200 blocks, each with a line around it, and one box that all of them read.
  std::vector<LayoutBox> boxes = {{60, 30}};
  std::vector<LayoutLine> lines;
  int before = 0;
  for (int block = 0; block < 200; ++block) {
    const int first = static_cast<int>(boxes.size());
    for (int i = 0; i < 4; ++i) boxes.push_back({40.0 + 10 * i, 30});
    lines.insert(lines.end(), {{before, first},
                               {before, first + 1},
                               {first, first + 2},
                               {first + 1, first + 2},
                               {first + 2, first + 3},
                               {before, first + 3}});
    if (block > 0) lines.push_back({0, first + 2});
    before = first + 3;
  }
  ExpectReadable(boxes, lines);
}

TEST(LayoutTest, AChainIsStraight) {
  std::vector<LayoutBox> boxes(5, {60, 30});
  const std::vector<LayoutLine> lines = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const Layout layout = LayOut(boxes, lines, RowsOf(5, lines));
  for (const LayoutPoint& center : layout.centers) {
    EXPECT_NEAR(center.x, layout.centers[0].x, 1e-6);
  }
}

TEST(LayoutTest, NothingIsNothing) {
  const Layout layout = LayOut({}, {}, {});
  EXPECT_EQ(layout.width, 0);
  EXPECT_TRUE(layout.centers.empty());
}

}  // namespace
}  // namespace onnxcmp

// Distances are added up by hand.
#include "tools/classic/classic_distance.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

ClassicRow Row() {
  ClassicRow row;
  row.kind = ClassicKind::kResult;
  row.dtype = "float32";
  row.shape = {{2, ""}, {3, ""}};
  row.letters = {'A', 'B', 'C', 'D'};
  row.op_type = "Add";
  return row;
}

// The distance, computed both ways.
int64_t Distance(const ClassicRow& left, const ClassicRow& right) {
  const int64_t distance = ClassicDistance(left, right);
  const std::vector<ClassicRow> lefts = {Row(), left};
  const std::vector<ClassicRow> rights = {right, Row()};
  EXPECT_EQ(ClassicDistances(lefts, rights)(1, 0), distance);
  EXPECT_EQ(ClassicDistance(right, left), distance);
  return distance;
}

ClassicRow Shaped(std::vector<ClassicDim> shape) {
  ClassicRow row = Row();
  row.shape = std::move(shape);
  return row;
}

TEST(ClassicDistanceTest, KindsAndOperators) {
  ClassicRow other = Row();
  EXPECT_EQ(Distance(Row(), other), 0);
  other.name = "names do not count";
  EXPECT_EQ(Distance(Row(), other), 0);
  other.op_type = "Sub";
  EXPECT_EQ(Distance(Row(), other), 10);
  other.kind = ClassicKind::kOutput;
  EXPECT_EQ(Distance(Row(), other), 1010);
  ClassicRow none = Row();
  none.op_type = "";
  EXPECT_EQ(Distance(Row(), none), 10);
  EXPECT_EQ(Distance(none, none), 0);
}

TEST(ClassicDistanceTest, Types) {
  ClassicRow other = Row();
  other.dtype = "float16";
  EXPECT_EQ(Distance(Row(), other), 2);
  other.dtype = "float64";
  EXPECT_EQ(Distance(Row(), other), 2);
  other.dtype = "bfloat16";
  EXPECT_EQ(Distance(Row(), other), 10);
  other.dtype = "";
  EXPECT_EQ(Distance(Row(), other), 10);
  EXPECT_EQ(Distance(other, other), 0);
}

TEST(ClassicDistanceTest, Letters) {
  ClassicRow other = Row();
  other.letters = {'Z', 'A', '?', 'D'};
  EXPECT_EQ(Distance(Row(), other), 25 + 1 + 4 + 0);
  ClassicRow a = Row();
  ClassicRow b = Row();
  a.letters = {'?', 'Z', '?', 'Z'};
  b.letters = {'Z', '?', 'Z', '?'};
  EXPECT_EQ(Distance(a, b), 4 * 27);
}

TEST(ClassicDistanceTest, ShapesOfNumbers) {
  EXPECT_EQ(Distance(Row(), Shaped({{3, ""}, {2, ""}})), 0 + 1 + 1);
  EXPECT_EQ(Distance(Row(), Shaped({{2, ""}, {5, ""}})), 4 + 2);
  EXPECT_EQ(Distance(Row(), Shaped({{6, ""}})), 0 + 100);
  EXPECT_EQ(Distance(Row(), Shaped({})), 5 + 100);  // a scalar has one element
  EXPECT_EQ(Distance(Row(), Shaped({{0, ""}, {3, ""}})), 6 + 2);
  ClassicRow none = Row();
  none.shape.reset();
  EXPECT_EQ(Distance(Row(), none), 100);
  EXPECT_EQ(Distance(none, none), 0);
  EXPECT_EQ(Distance(Shaped({{64, ""}, {56, ""}, {56, ""}, {1, ""}}),
                     Shaped({{64, ""}, {56, ""}, {56, ""}, {2, ""}})),
            200704 + 1);
}

TEST(ClassicDistanceTest, ShapesWithSymbols) {
  EXPECT_EQ(Distance(Row(), Shaped({{0, "n"}, {5, ""}})), 50 + 2);
  EXPECT_EQ(Distance(Shaped({{0, "n"}, {5, ""}}), Shaped({{0, "n"}, {5, ""}})), 0);
  EXPECT_EQ(Distance(Shaped({{0, "n"}}), Shaped({{0, "m"}})), 50);
  EXPECT_EQ(Distance(Row(), Shaped({{0, "n"}})), 100);
  EXPECT_EQ(Distance(Shaped({{0, "n"}, {1, ""}}), Shaped({{0, "n"}, {100, ""}})), 99);
}

TEST(ClassicDistanceTest, HugeShapesDoNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  for (const int64_t a : {kMax, kMin}) {
    for (const int64_t b : {kMax, kMin, int64_t{1}}) {
      const int64_t distance = Distance(Shaped({{a, ""}, {a, ""}}), Shaped({{b, ""}, {1, ""}}));
      EXPECT_GE(distance, 0);
      EXPECT_LE(distance, int64_t{1} << 53);
    }
  }
}

}  // namespace
}  // namespace onnxcmp

#include "compare/alignment/alignment_amendment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Results of one type; only their number counts.
ResultStream Stream(size_t results) {
  ResultStream stream;
  stream.results.resize(results);
  for (StreamResult& result : stream.results) result.dtype = DType::kFloat;
  return stream;
}

Marks Repaired() { return static_cast<Marks>(Mark::kRepaired); }

TEST(AlignmentAmendment, TwoThatStandAloneBecomeARow) {
  Alignment alignment;
  alignment.rows = {{{0}, {0}, 0}, {{1}, {}, 0}, {{}, {1}, 0}, {{2}, {2}, 0}};
  alignment.left_to_right = {0, kNone, 2};
  alignment.right_to_left = {0, kNone, 2};
  const Amended amended = Amend(alignment, {{1, 1}}, Stream(3), Stream(3));
  ASSERT_EQ(amended.alignment.rows.size(), 3U);
  EXPECT_THAT(amended.alignment.rows[1].left, ElementsAre(1));
  EXPECT_THAT(amended.alignment.rows[1].right, ElementsAre(1));
  EXPECT_EQ(amended.alignment.rows[1].marks, Repaired());
  EXPECT_THAT(amended.before, ElementsAre(0, kNone, 3));
  EXPECT_THAT(amended.alignment.left_to_right, ElementsAre(0, 1, 2));
  EXPECT_THAT(amended.alignment.right_to_left, ElementsAre(0, 1, 2));
}

TEST(AlignmentAmendment, AnotherTypeIsMarked) {
  Alignment alignment;
  alignment.rows = {{{0}, {}, 0}, {{}, {0}, 0}};
  alignment.left_to_right = {kNone};
  alignment.right_to_left = {kNone};
  ResultStream right = Stream(1);
  right.results[0].dtype = DType::kFloat16;
  const Amended amended = Amend(alignment, {{0, 0}}, Stream(1), right);
  ASSERT_EQ(amended.alignment.rows.size(), 1U);
  EXPECT_TRUE(Has(amended.alignment.rows[0].marks, Mark::kCast));
}

TEST(AlignmentAmendment, FormerPartnersStandAlone) {
  // 0 and 1 of the left were fused into 0 of the right; the pair is 1 and 1.
  Alignment alignment;
  alignment.rows = {{{0, 1}, {0}, static_cast<Marks>(Mark::kFused)}, {{2}, {1}, 0}};
  alignment.left_to_right = {kNone, 0, 1};
  alignment.right_to_left = {1, 2};
  const Amended amended = Amend(alignment, {{1, 1}}, Stream(3), Stream(2));
  const std::vector<AlignedRow>& rows = amended.alignment.rows;
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[0].left, ElementsAre(0));
  EXPECT_THAT(rows[0].right, IsEmpty());
  EXPECT_THAT(rows[1].left, ElementsAre(1));
  EXPECT_THAT(rows[1].right, ElementsAre(1));
  EXPECT_THAT(rows[2].left, IsEmpty());
  EXPECT_THAT(rows[2].right, ElementsAre(0));
  EXPECT_THAT(rows[3].left, ElementsAre(2));
  EXPECT_THAT(rows[3].right, IsEmpty());
  EXPECT_THAT(amended.alignment.left_to_right, ElementsAre(kNone, 1, kNone));
  EXPECT_THAT(amended.alignment.right_to_left, ElementsAre(kNone, 1));
}

TEST(AlignmentAmendment, WhatIsAbsorbedOrPairedAlreadyStays) {
  Alignment alignment;
  alignment.rows = {{{0, 1}, {0}, static_cast<Marks>(Mark::kFused)}, {{}, {1}, 0}};
  alignment.left_to_right = {kNone, 0};
  alignment.right_to_left = {1, kNone};
  const Amended amended = Amend(alignment, {{0, 1}, {1, 0}}, Stream(2), Stream(2));
  EXPECT_THAT(amended.before, ElementsAre(0, 1));
  EXPECT_EQ(amended.alignment.left_to_right, alignment.left_to_right);
  EXPECT_EQ(amended.alignment.right_to_left, alignment.right_to_left);
}

TEST(AlignmentAmendment, WhatIsMergedMayFindAPartner) {
  // 0 and 1 of the left are both 0 of the right; the pair is 1 and 1.
  Alignment alignment;
  alignment.rows = {{{0}, {0}, 0}, {{1}, {0}, static_cast<Marks>(Mark::kMerged)}, {{}, {1}, 0}};
  alignment.left_to_right = {0, 0};
  alignment.right_to_left = {0, kNone};
  const Amended amended = Amend(alignment, {{1, 1}}, Stream(2), Stream(2));
  EXPECT_THAT(amended.before, ElementsAre(0, kNone));
  EXPECT_THAT(amended.alignment.left_to_right, ElementsAre(0, 1));
  EXPECT_THAT(amended.alignment.right_to_left, ElementsAre(0, 1));
}

}  // namespace
}  // namespace onnxcmp

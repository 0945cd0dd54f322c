#include "compare/quantization/contradicted_causes.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/quantities.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ContradictedCauses : public ::testing::Test {
 protected:
  ContradictedCauses() {
    const int x = left_.Input("x", testing::Quantity(0));
    left_.Node("Add", {x, x}, "a", testing::Quantity(1));
    left_.Node("Add", {x, x}, "b", testing::Quantity(2));
    left_.Node("Identity", {1}, "copy of a", testing::Quantity(1));
  }
  // The alignment pairs the right's result 7 with the left's 1.
  static std::vector<ComparedRow> Rows(Relation relation) {
    ComparedRow row;
    row.aligned.left = {1};
    row.aligned.right = {7};
    row.relation = relation;
    return {row};
  }
  static Cause Of(int left, CauseKind kind = CauseKind::kOperator) {
    Cause cause;
    cause.left = left;
    cause.right = 7;
    cause.kind = kind;
    return cause;
  }
  std::vector<Cause> Kept(const std::vector<ComparedRow>& rows, std::vector<Cause> causes) const {
    std::vector<DismissedCause> dismissed;
    Dismiss(ReviewByRows(left_.stream(), rows), &causes, &dismissed);
    for (const DismissedCause& one : dismissed) {
      EXPECT_EQ(one.veto, Veto::kAgreesWithAnother);
    }
    return causes;
  }
  testing::StreamBuilder left_;
};

TEST_F(ContradictedCauses, WhatAgreesWithAnotherPartnerIsNone) {
  EXPECT_THAT(Kept(Rows(Relation::kClose), {Of(2)}), IsEmpty());
  EXPECT_THAT(Kept(Rows(Relation::kSame), {Of(2)}), IsEmpty());
}

TEST_F(ContradictedCauses, WhatDiffersFromThatPartnerStays) {
  EXPECT_THAT(Kept(Rows(Relation::kDifferent), {Of(2)}), SizeIs(1));
}

// An Identity in place of an Add repeats what goes into it, and agrees with that one's partner.
TEST_F(ContradictedCauses, WhatSharesAPartnerStays) {
  std::vector<ComparedRow> rows = Rows(Relation::kSame);
  rows.push_back(rows[0]);
  rows[1].aligned.right = {6};
  EXPECT_THAT(Kept(rows, {Of(2)}), SizeIs(1));
}

// A difference within tolerance may well be of the cause's own pair.
TEST_F(ContradictedCauses, ThePairItselfStays) {
  EXPECT_THAT(Kept(Rows(Relation::kClose), {Of(1)}), SizeIs(1));
  EXPECT_THAT(Kept(Rows(Relation::kClose), {Of(3)}), SizeIs(1));
}

TEST_F(ContradictedCauses, OtherKindsAndOtherResultsStay) {
  Cause inside = Of(2);
  inside.in_body.emplace();
  Cause other = Of(2);
  other.right = 8;
  EXPECT_THAT(
      Kept(Rows(Relation::kClose), {Of(2, CauseKind::kInitializer), inside, other, Of(kNone)}),
      SizeIs(4));
}

}  // namespace
}  // namespace onnxcmp

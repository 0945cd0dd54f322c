#include "compare/alignment/settle.h"

#include <string>
#include <vector>

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

Claim Repair(int left, int right) {
  Claim claim = ClaimOf(Rule::kRepair, SideId::kLeft, left, right);
  claim.own.reset();
  return claim;
}

// A claim of a recorded result on the left.
Claim OfLeft(Rule rule, int left, int right, double more = 0) {
  return ClaimOf(rule, SideId::kLeft, left, right, more);
}

// Results of both sides, none of which has a partner.
Alignment Apart(int left, int right) {
  Alignment alignment;
  for (int l = 0; l < left; ++l) alignment.rows.push_back({{l}, {}});
  for (int r = 0; r < right; ++r) alignment.rows.push_back({{}, {r}});
  alignment.left_to_right.assign(Index(left), kNone);
  alignment.right_to_left.assign(Index(right), kNone);
  return alignment;
}

std::vector<ClaimOutcome> OutcomesOf(const std::vector<Claim>& claims) {
  std::vector<ClaimOutcome> outcomes;
  for (const Claim& claim : claims) outcomes.push_back(claim.outcome);
  return outcomes;
}

TEST(Settle, TwoThatStandAloneBecomeARow) {
  Alignment alignment;
  alignment.rows = {{{0}, {0}, 0}, {{1}, {}, 0}, {{}, {1}, 0}, {{2}, {2}, 0}};
  alignment.left_to_right = {0, kNone, 2};
  alignment.right_to_left = {0, kNone, 2};
  std::vector<Claim> claims = {Repair(1, 1)};
  const Settled settled = Settle(alignment, &claims, Stream(3), Stream(3));
  ASSERT_EQ(settled.alignment.rows.size(), 3U);
  EXPECT_THAT(settled.alignment.rows[1].left, ElementsAre(1));
  EXPECT_THAT(settled.alignment.rows[1].right, ElementsAre(1));
  EXPECT_EQ(settled.alignment.rows[1].marks, static_cast<Marks>(Mark::kRepaired));
  EXPECT_EQ(settled.alignment.rows[1].rule, Rule::kRepair);
  EXPECT_THAT(settled.before, ElementsAre(0, kNone, 3));
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(0, 1, 2));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(0, 1, 2));
  EXPECT_THAT(OutcomesOf(claims), ElementsAre(ClaimOutcome::kPaired));
}

TEST(Settle, AnotherTypeIsMarked) {
  ResultStream right = Stream(1);
  right.results[0].dtype = DType::kFloat16;
  std::vector<Claim> claims = {Repair(0, 0)};
  const Settled settled = Settle(Apart(1, 1), &claims, Stream(1), right);
  ASSERT_EQ(settled.alignment.rows.size(), 1U);
  EXPECT_TRUE(Has(settled.alignment.rows[0].marks, Mark::kCast));
}

TEST(Settle, FormerPartnersStandAlone) {
  // 0 and 1 of the left were fused into 0 of the right; the pair is 1 and 1.
  Alignment alignment;
  alignment.rows = {{{0, 1}, {0}, static_cast<Marks>(Mark::kFused)}, {{2}, {1}, 0}};
  alignment.left_to_right = {kNone, 0, 1};
  alignment.right_to_left = {1, 2};
  std::vector<Claim> claims = {Repair(1, 1)};
  const Settled settled = Settle(alignment, &claims, Stream(3), Stream(2));
  const std::vector<AlignedRow>& rows = settled.alignment.rows;
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[0].left, ElementsAre(0));
  EXPECT_THAT(rows[0].right, IsEmpty());
  EXPECT_THAT(rows[1].left, ElementsAre(1));
  EXPECT_THAT(rows[1].right, ElementsAre(1));
  EXPECT_THAT(rows[2].left, IsEmpty());
  EXPECT_THAT(rows[2].right, ElementsAre(0));
  EXPECT_THAT(rows[3].left, ElementsAre(2));
  EXPECT_THAT(rows[3].right, IsEmpty());
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(kNone, 1, kNone));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(kNone, 1));
}

TEST(Settle, AbsorbedAndPairedResultsStay) {
  Alignment alignment;
  alignment.rows = {{{0, 1}, {0}, static_cast<Marks>(Mark::kFused)}, {{}, {1}, 0}};
  alignment.left_to_right = {kNone, 0};
  alignment.right_to_left = {1, kNone};
  std::vector<Claim> claims = {Repair(0, 1), Repair(1, 0)};
  const Settled settled = Settle(alignment, &claims, Stream(2), Stream(2));
  EXPECT_THAT(settled.before, ElementsAre(0, 1));
  EXPECT_EQ(settled.alignment.left_to_right, alignment.left_to_right);
  EXPECT_EQ(settled.alignment.right_to_left, alignment.right_to_left);
  EXPECT_THAT(OutcomesOf(claims), ElementsAre(ClaimOutcome::kBeaten, ClaimOutcome::kPaired));
}

TEST(Settle, AMergedResultMayFindAPartner) {
  // 0 and 1 of the left are both 0 of the right; the pair is 1 and 1.
  Alignment alignment;
  alignment.rows = {{{0}, {0}, 0}, {{1}, {0}, static_cast<Marks>(Mark::kMerged)}, {{}, {1}, 0}};
  alignment.left_to_right = {0, 0};
  alignment.right_to_left = {0, kNone};
  std::vector<Claim> claims = {Repair(1, 1)};
  const Settled settled = Settle(alignment, &claims, Stream(2), Stream(2));
  EXPECT_THAT(settled.before, ElementsAre(0, kNone));
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(0, 1));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(0, 1));
}

TEST(Settle, TheSurestClaimOfAResultStands) {
  std::vector<Claim> claims = {OfLeft(Rule::kNames, 0, 0), OfLeft(Rule::kFrame, 0, 1)};
  const Settled settled = Settle(Apart(1, 2), &claims, Stream(1), Stream(2));
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(1));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(kNone, 0));
  EXPECT_THAT(OutcomesOf(claims), ElementsAre(ClaimOutcome::kBeaten, ClaimOutcome::kPaired));
}

TEST(Settle, TheSurestOfSeveralHasTheRow) {
  std::vector<Claim> claims = {OfLeft(Rule::kValues, 0, 0), OfLeft(Rule::kNames, 1, 0, 2)};
  const Settled settled = Settle(Apart(2, 1), &claims, Stream(2), Stream(1));
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(0, 0));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(1));
  ASSERT_EQ(settled.alignment.rows.size(), 2U);
  EXPECT_TRUE(Has(settled.alignment.rows[0].marks, Mark::kMerged));
  EXPECT_FALSE(Has(settled.alignment.rows[1].marks, Mark::kMerged));
  EXPECT_THAT(OutcomesOf(claims), ElementsAre(ClaimOutcome::kShares, ClaimOutcome::kPaired));
}

TEST(Settle, TheRightSharesToo) {
  std::vector<Claim> claims = {ClaimOf(Rule::kValues, SideId::kRight, 0, 0),
                               ClaimOf(Rule::kNames, SideId::kRight, 1, 0, 2)};
  const Settled settled = Settle(Apart(1, 2), &claims, Stream(1), Stream(2));
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(1));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(0, 0));
  ASSERT_EQ(settled.alignment.rows.size(), 2U);
  EXPECT_THAT(settled.alignment.rows[0].right, ElementsAre(1));
  EXPECT_THAT(settled.alignment.rows[1].right, ElementsAre(0));
  EXPECT_TRUE(Has(settled.alignment.rows[1].marks, Mark::kMerged));
}

TEST(Settle, ASharingClaimLeavesTheRowToAnother) {
  std::vector<Claim> claims = {OfLeft(Rule::kFrame, 0, 0), OfLeft(Rule::kValues, 1, 0)};
  claims[0].shares = true;
  const Settled settled = Settle(Apart(2, 1), &claims, Stream(2), Stream(1));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(1));
  EXPECT_THAT(OutcomesOf(claims), ElementsAre(ClaimOutcome::kShares, ClaimOutcome::kPaired));
}

// Result 0 had the row; it is a step inside of the partner, so that the next claim has the row.
TEST(Settle, AResultBesideAnotherLeavesTheRowToTheNextClaim) {
  Alignment alignment;
  alignment.rows = {{{0}, {0}, 0}, {{1}, {0}, static_cast<Marks>(Mark::kMerged)}};
  alignment.left_to_right = {0, 0};
  alignment.right_to_left = {0};
  std::vector<Claim> claims = {OfLeft(Rule::kValues, 0, 0, 1), OfLeft(Rule::kValues, 1, 0),
                               OfLeft(Rule::kInside, 0, 0)};
  claims[2].how = "inside of a Gelu";
  const Settled settled = Settle(alignment, &claims, Stream(2), Stream(1));
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(kNone, 0));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(1));
  ASSERT_EQ(settled.alignment.rows.size(), 2U);
  EXPECT_FALSE(Has(settled.alignment.rows[1].marks, Mark::kMerged));
  ASSERT_EQ(settled.alignment.derived.size(), 1U);
  EXPECT_EQ(settled.alignment.derived[0].result, 0);
  EXPECT_EQ(settled.alignment.derived[0].of, 0);
  EXPECT_EQ(settled.alignment.derived[0].how, "inside of a Gelu");
  EXPECT_THAT(OutcomesOf(claims),
              ElementsAre(ClaimOutcome::kBeaten, ClaimOutcome::kPaired, ClaimOutcome::kBeside));
}

// A pair that the user gave has the row, whoever else claims one of the two.
TEST(Settle, AnExclusiveClaimHasTheRow) {
  Claim given = OfLeft(Rule::kGiven, 0, 0);
  given.own.reset();
  std::vector<Claim> claims = {OfLeft(Rule::kNames, 1, 0), given};
  const Settled settled = Settle(Apart(2, 1), &claims, Stream(2), Stream(1));
  EXPECT_THAT(settled.alignment.left_to_right, ElementsAre(0, 0));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(0));
  EXPECT_THAT(OutcomesOf(claims), ElementsAre(ClaimOutcome::kShares, ClaimOutcome::kPaired));
}

// An input that was recorded makes no claim and keeps its row.
TEST(Settle, AResultWithoutClaimsKeepsItsPartner) {
  Alignment alignment;
  alignment.rows = {{{0}, {0}, 0}, {{1}, {}, 0}};
  alignment.left_to_right = {0, kNone};
  alignment.right_to_left = {0};
  std::vector<Claim> claims = {OfLeft(Rule::kNames, 1, 0, 3)};
  const Settled settled = Settle(alignment, &claims, Stream(2), Stream(1));
  EXPECT_THAT(settled.alignment.right_to_left, ElementsAre(0));
  EXPECT_THAT(settled.before, ElementsAre(0, kNone));
  EXPECT_THAT(OutcomesOf(claims), ElementsAre(ClaimOutcome::kShares));
}

}  // namespace
}  // namespace onnxcmp

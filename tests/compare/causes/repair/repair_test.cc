// How much of a search for the pair that repairs everything runs.
#include "compare/causes/repair/repair.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/compare/forced_sides.h"

namespace onnxcmp::testing {
namespace {

constexpr int kLinks = 60;
constexpr int kFew = 8;
// Whether the pair is needed.
constexpr int kTrialsAfterwards = 1;

// A chain of links that are unlike each other, in which whatever differs stays as different.
// `first`: what makes s0 of p0,
// `detour`: q0 of that.
std::string RepairedChain(const std::string& first, const std::string& detour = "q0 = Identity(s0)",
                          int links = kLinks) {
  std::string text = absl::StrCat(
      "(float[64] x) => (float[64] y) <float k = {2.5}, float up = {0.5}, float down = {-0.5}> {\n",
      "  p0 = Mul(x, k)\n  ", first, "\n  ", detour, "\n");
  for (int i = 1; i < links; ++i) {
    absl::StrAppend(&text, "  k", i, " = Constant<value_float = ", 2.505 + 0.01 * i, ">()\n  p", i,
                    " = Mul(", i == 1 ? "q0" : absl::StrCat("s", i - 1), ", k", i, ")\n  s", i,
                    " = Sin(p", i, ")\n");
  }
  return absl::StrCat(text, "  y = Neg(s", links - 1, ")\n}");
}

// Right-only nodes that come back to what they began with.
std::string Detour(int half) {
  std::string text;
  for (int i = 0; i < 2 * half; ++i) {
    absl::StrAppend(&text, i + 1 == 2 * half ? "q0" : absl::StrCat("d", i), " = Add(",
                    i == 0 ? "s0" : absl::StrCat("d", i - 1), i < half ? ", up)" : ", down)",
                    "\n  ");
  }
  return text;
}

class RepairTest : public ::testing::Test {
 protected:
  void Search(const ForcedSides& sides, std::vector<std::pair<int, int>> hints) {
    const ForcedRun run = sides.Run();
    run.Run({});
    const int64_t once = run.runs();
    repaired_ = Repair(run, std::move(hints));
    // Of the search, besides its first run.
    runs_ = run.runs() - 2 * once;
    EXPECT_EQ(repaired_.lost, kNone);
    EXPECT_EQ(repaired_.state.fixed, (FixedMatches{{sides.Right("s0"), sides.Class("s0")}}));
  }

  Repaired repaired_;
  int64_t runs_ = 0;
};

TEST_F(RepairTest, AWrongPairIsGivenUpAfterAFewNodes) {
  const ForcedSides sides(RepairedChain("s0 = Sin(p0)"), RepairedChain("s0 = Cos(p0)"),
                          Irregular(64));
  Search(sides, {{sides.Right("s0"), sides.Left("s1")}, {sides.Right("s0"), sides.Left("s2")}});
  EXPECT_LE(runs_, 2 * kLinks + 3 * kFew);
}

// Nodes of the right alone find no partner then either, so it is not known to explain all.
TEST_F(RepairTest, WhatLiesAfterTheTruePairIsNotTried) {
  constexpr int kShort = 20;
  constexpr int kHalf = 3;
  const ForcedSides sides(RepairedChain("s0 = Sin(p0)", "q0 = Identity(s0)", kShort),
                          RepairedChain("s0 = Cos(p0)", Detour(kHalf), kShort), Irregular(64));
  std::vector<std::pair<int, int>> hints;
  for (int i = 1; i < 6; ++i) {
    for (int k = 0; k < 4; ++k) {
      hints.emplace_back(sides.Right(absl::StrCat("s", i)), sides.Left(absl::StrCat("s", i + k)));
    }
  }
  Search(sides, hints);
  EXPECT_EQ(repaired_.trials, 1 + kTrialsAfterwards);
}

// There is little to speak for its own left node, and much for those that follow.
TEST_F(RepairTest, WhatBeginsTheRegionIsTriedBeforeWhatLiesFurtherOn) {
  const ForcedSides sides(RepairedChain("n0 = Sign(p0)\n  m0 = Add(n0, p0)\n  s0 = Sin(m0)"),
                          RepairedChain("s0 = Cos(p0)"), Irregular(64));
  Search(sides, {{sides.Right("s1"), sides.Left("s1")}, {sides.Right("s2"), sides.Left("s2")}});
  EXPECT_LE(runs_, 2 * kLinks + 3 * kFew);
}

// All that the pair leads to at first has no partner.
TEST_F(RepairTest, ATruePairThatIsSlowIsWaitedForInTheEnd) {
  constexpr int kHalf = 6;  // more than the first patience together
  const ForcedSides sides(RepairedChain("s0 = Sin(p0)"),
                          RepairedChain("s0 = Cos(p0)", Detour(kHalf)), Irregular(64));
  Search(sides, {});
  EXPECT_EQ(repaired_.state.at(sides.Right("y")).match, sides.Class("y"));
}

}  // namespace
}  // namespace onnxcmp::testing

// What a forced run does not run.
#include "compare/causes/forced/forced_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "compare/causes/forced/lost_nodes.h"
#include "tests/compare/forced_sides.h"

namespace onnxcmp::testing {
namespace {

constexpr int kLinks = 50;

// A chain of links that are unlike each other, in which whatever differs stays as different; t is
// another road.
std::string Chain(const std::string& first) {
  std::string text =
      absl::StrCat("(float[64] x) => (float[64] y, float[64] t) {\n  s0 = ", first, "\n");
  for (int i = 1; i < kLinks; ++i) {
    absl::StrAppend(&text, "  k", i, " = Constant<value_float = ", 2.505 + 0.01 * i, ">()\n  p", i,
                    " = Mul(s", i - 1, ", k", i, ")\n  s", i, " = Sin(p", i, ")\n");
  }
  return absl::StrCat(text, "  y = Neg(s", kLinks - 1, ")\n  t = Tanh(x)\n}");
}

class LostNodesTest : public ::testing::Test {
 protected:
  // By right result: its name is none of these.
  std::vector<bool> FarBut(const std::vector<std::string>& near) const {
    std::vector<bool> far(sides_.right_graph().stream().results.size(), true);
    for (const std::string& name : near) far[Index(sides_.Right(name))] = false;
    return far;
  }
  std::vector<bool> Lost(const std::vector<bool>& far) const {
    return LostNodes(sides_.classes(), sides_.right_graph(), sides_.aligned(), far);
  }
  int Producer(const std::string& name) const {
    return sides_.right_graph().producer(sides_.Right(name));
  }

  const ForcedSides sides_ = ForcedSides(Chain("Sin(x)"), Chain("Cos(x)"), Irregular(64));
};

TEST_F(LostNodesTest, AreThoseThatLeadToNothingNear) {
  const std::vector<bool> lost = Lost(FarBut({"s20"}));
  EXPECT_FALSE(lost[Index(Producer("s0"))]);
  EXPECT_FALSE(lost[Index(Producer("s20"))]);
  EXPECT_TRUE(lost[Index(Producer("p21"))]);
  EXPECT_TRUE(lost[Index(Producer("y"))]);
  // It has the left's bits.
  EXPECT_FALSE(lost[Index(Producer("t"))]);
}

// Nothing is far from a partner that it does not have.
TEST_F(LostNodesTest, WhatHasNoPartnerLeadsNowhere) {
  const SideGraph& right = sides_.right_graph();
  const size_t count = right.stream().results.size();
  const std::vector<bool> lost =
      LostNodes(sides_.classes(), right, std::vector<int>(count, kNone), std::vector<bool>(count));
  EXPECT_TRUE(lost[Index(Producer("s0"))]);
  EXPECT_TRUE(lost[Index(Producer("y"))]);
  EXPECT_FALSE(lost[Index(Producer("t"))]);
}

TEST_F(LostNodesTest, NoneIsWhereNothingIsKnown) {
  for (const bool lost : Lost({})) EXPECT_FALSE(lost);
}

TEST_F(LostNodesTest, MostOfThemAreNotRun) {
  const ForcedRun whole = sides_.Run();
  const ForcedState all = whole.Run({});
  EXPECT_TRUE(all.skipped.empty());
  const ForcedRun run = sides_.Run(Lost(FarBut({})));
  const ForcedState state = run.Run({});
  EXPECT_GT(state.skipped.size(), kLinks);
  EXPECT_LT(run.runs(), whole.runs() / 2);
  EXPECT_EQ(state.matched, all.matched);
  EXPECT_NE(state.at(sides_.Right("t")).match, kNone);
  EXPECT_FALSE(state.at(sides_.Right("s3")).own.empty());
  EXPECT_TRUE(state.at(sides_.Right("y")).own.empty());
}

TEST_F(LostNodesTest, WhatWasSkippedRunsWhereARepairLeadsToIt) {
  const ForcedRun run = sides_.Run(Lost(FarBut({})));
  const ForcedState base = run.Run({});
  const ForcedState repaired = run.Run({{sides_.Right("s0"), sides_.Class("s0")}}, &base);
  EXPECT_TRUE(repaired.skipped.empty());
  EXPECT_EQ(repaired.at(sides_.Right("y")).match, sides_.Class("y"));
}

TEST_F(LostNodesTest, ACompletedStateIsThatOfAWholeRun) {
  const ForcedState all = sides_.Run().Run({});
  const ForcedRun run = sides_.Run(Lost(FarBut({})));
  const ForcedState state = run.Completed(run.Run({}));
  EXPECT_TRUE(state.skipped.empty());
  for (const int r : sides_.right_graph().results()) {
    EXPECT_EQ(state.at(r).match, all.at(r).match) << r;
    EXPECT_EQ(state.at(r).own_content, all.at(r).own_content) << r;
  }
}

TEST(ForcedRunTest, ARunIsGivenUpAfterSoManyInVain) {
  const ForcedSides sides(Chain("Sin(x)"), Chain("Cos(x)"), Irregular(64));
  const ForcedRun run = sides.Run();
  const ForcedState base = run.Run({});
  const FixedMatches wrong = {{sides.Right("s0"), sides.Class("s1")}};
  for (const int patience : {8, 32}) {
    const int64_t before = run.runs();
    EXPECT_TRUE(run.Run(wrong, &base, {.patience = patience}).abandoned);
    EXPECT_EQ(run.runs() - before, patience);
  }
  const FixedMatches right = {{sides.Right("s0"), sides.Class("s0")}};
  EXPECT_FALSE(run.Run(right, &base, {.patience = 1}).abandoned);
}

// Many nodes that read the same and constants that all differ.
std::string Branches(int count, double shift) {
  std::string text =
      "(float[64] x) => (float[64] y) {\n  k = Constant<value_float = 1000.0>()\n  b = Mul(x, k)\n";
  std::string sum;
  for (int i = 0; i < count; ++i) {
    absl::StrAppendFormat(&text, "  k%d = Constant<value_float = %.9f>()\n  a%d = Add(b, k%d)\n", i,
                          1.005 + shift + 0.37 * i, i, i);
    absl::StrAppend(&sum, i == 0 ? "" : ", ", "a", i);
  }
  return absl::StrCat(text, "  y = Sum(", sum, ")\n}");
}

TEST(ForcedRunTest, NodesWithoutPartnersDoNotEachLookAtAllOfTheirKind) {
  constexpr int kBranches = 400;
  const ForcedSides sides(Branches(kBranches, 0), Branches(kBranches, 0.18), Irregular(64));
  const ForcedRun run = sides.Run();
  const ForcedState state = run.Run({});
  EXPECT_EQ(state.at(sides.Right("a7")).match, kNone);
  EXPECT_LT(run.looked_at(), 4 * kBranches);
}

TEST(ForcedRunTest, OfManyReadersTheNearOneIsFound) {
  constexpr int kBranches = 400;
  const ForcedSides sides(Branches(kBranches, 0), Branches(kBranches, 0.008), Irregular(64));
  const ForcedRun run = sides.Run();
  const ForcedState state = run.Run({});
  for (const int i : {0, 7, kBranches - 1}) {
    const std::string name = absl::StrCat("a", i);
    EXPECT_EQ(state.at(sides.Right(name)).match, sides.Class(name)) << name;
  }
  EXPECT_GE(run.looked_at(), kBranches / 2);
  EXPECT_LT(run.looked_at(), 4 * kBranches);
}

// b scales by next to nothing, as a normalization may.
constexpr char kIdle[] = R"((float[64] x) => (float[64] y) {
  k = Constant<value = float {0.999995}>()
  a = Sum(x, x, x)
  b = Mul(a, k)
  y = Exp(b)
})";

// A normalization that scales by next to nothing, folded into the node before it.
TEST(ForcedRunTest, WhatIsFoldedBelongsToTheLastOfWhatItReplaces) {
  constexpr char kRight[] = R"((float[64] x) => (float[64] y) {
    f = Constant<value = float {2.999985}>()
    a = Mul(x, f)
    y = Exp(a)
  })";
  ForcedSides sides(kIdle, kRight, Irregular(64));
  sides.Pair("a", "a");
  EXPECT_EQ(sides.Run().Run({}).at(sides.Right("a")).match, sides.Class("b"));
  // Of what is idle the partner itself is meant, whose bits it has.
  const ForcedSides same(kIdle, kIdle, Irregular(64));
  EXPECT_EQ(same.Run().Run({}).at(same.Right("a")).match, same.Class("a"));
}

// A fault that looks like the node after it, which the right has as well.
TEST(ForcedRunTest, WhatTheRightDoesAfterwardsIsNotFolded) {
  constexpr char kRight[] = R"((float[64] x) => (float[64] y) {
    k = Constant<value = float {0.999995}>()
    f = Constant<value = float {2.999985}>()
    a = Mul(x, f)
    b = Mul(k, a)
    y = Exp(b)
  })";
  ForcedSides sides(kIdle, kRight, Irregular(64));
  sides.Pair("a", "a");
  sides.Pair("b", "b");
  const ForcedState state = sides.Run().Run({});
  EXPECT_EQ(state.at(sides.Right("a")).match, sides.Class("a"));
  EXPECT_EQ(state.at(sides.Right("b")).match, sides.Class("b"));
}

// A node of the same operator that reads what the left's does not is another.
TEST(ForcedRunTest, WhatIsFoldedMayBeReadByTheSameOperator) {
  constexpr char kLeft[] = R"((float[64] x) => (float[64] y) {
    k = Constant<value = float {0.999995}>()
    m = Constant<value = float {0.5}>()
    a = Sum(x, x, x)
    b = Mul(a, k)
    y = Mul(b, m)
  })";
  constexpr char kRight[] = R"((float[64] x) => (float[64] y) {
    m = Constant<value = float {0.5}>()
    f = Constant<value = float {2.999985}>()
    a = Mul(x, f)
    y = Mul(a, m)
  })";
  ForcedSides sides(kLeft, kRight, Irregular(64));
  sides.Pair("a", "a");
  EXPECT_EQ(sides.Run().Run({}).at(sides.Right("a")).match, sides.Class("b"));
}

// As much as half of the way is no evidence, and of several readers the nearest is meant.
TEST(ForcedRunTest, WhatIsFoldedIsMuchNearer) {
  const auto matched = [](const std::string& factor, const std::string& readers) {
    ForcedSides sides(
        absl::StrCat("(float[64] x) => (float[64] y) {\n",
                     "k = Constant<value = float {0.999995}>()\n",
                     "m = Constant<value = float {0.9999935}>()\n", "a = Sum(x, x, x)\n", readers,
                     "y = Exp(b)\n}"),
        absl::StrCat("(float[64] x) => (float[64] y) {\n", "f = Constant<value = float {", factor,
                     "}>()\n", "a = Mul(x, f)\n", "y = Exp(a)\n}"),
        Irregular(64));
    sides.Pair("a", "a");
    const int match = sides.Run().Run({}).at(sides.Right("a")).match;
    return match == sides.Class("a") ? "a" : match == sides.Class("b") ? "b" : "another";
  };
  EXPECT_STREQ(matched("2.9999925", "b = Mul(a, k)\n"), "a");  // by half of k
  EXPECT_STREQ(matched("2.9999910", "b = Mul(a, k)\n"), "a");
  EXPECT_STREQ(matched("2.9999880", "b = Mul(a, k)\n"), "b");
  EXPECT_STREQ(matched("2.9999850", "b = Mul(a, k)\n  c = Mul(a, m)\n"), "b");
  EXPECT_STREQ(matched("2.9999850", "c = Mul(a, m)\n  b = Mul(a, k)\n"), "b");
}

// Of left nodes that do the same, the last reader of the last of what has the first input's bits.
TEST(ForcedRunTest, NodesOnTheSameComeInTheOrderOfTheirFirstInput) {
  constexpr char kLeft[] = R"((float[64] x) => (float[64] y, float[64] z) {
    low = Constant<value = float {-0.5}>()
    h = Constant<value = float {1e30}>()
    k = Constant<value = float {2e30}>()
    t = Tanh(x)
    again = Identity(t)
    a = Clip(again, low, h)
    b = Clip(t, low, k)
    y = Sin(a)
    z = Cos(b)
  })";
  constexpr char kRight[] = R"((float[64] x) => (float[64] y) {
    low = Constant<value = float {-0.5}>()
    high = Constant<value = float {GREATEST}>()
    t = Tanh(x)
    a = Clip(t, low, high)
    y = Sin(a)
  })";
  float greatest = 0;
  const Tensor x = Irregular(64);
  for (const float number : x.AsSpan<float>()) greatest = std::max(greatest, std::tanh(number));
  const ForcedSides sides(
      kLeft, absl::StrReplaceAll(kRight, {{"GREATEST", absl::StrCat(greatest * (1 - 1e-6F))}}), x);
  const ForcedState state = sides.Run().Run({});
  ASSERT_EQ(state.at(sides.Right("a")).rule, MatchRule::kStructure);
  EXPECT_EQ(state.at(sides.Right("high")).match, sides.Class("h"));
}

// The same where no constant is open. Both are as far away, by what is above 0.
TEST(ForcedRunTest, NodesOnMatchesAloneComeInThatOrder) {
  constexpr char kLeft[] = R"((float[64] x) => (float[64] y, float[64] z) {
    k = Constant<value = float {10.0}>()
    t = Mul(x, k)
    again = Identity(t)
    a = Selu<alpha = 1.0, gamma = 1.0>(again)
    b = Selu<alpha = 1.000002, gamma = 1.0>(t)
    y = Sin(a)
    z = Cos(b)
  })";
  constexpr char kRight[] = R"((float[64] x) => (float[64] y) {
    k = Constant<value = float {10.0}>()
    t = Mul(x, k)
    a = Selu<alpha = 1.000001, gamma = 1.00001>(t)
    y = Sin(a)
  })";
  const ForcedSides sides(kLeft, kRight, Irregular(64));
  ASSERT_NE(sides.Class("a"), sides.Class("b"));
  const ForcedState state = sides.Run().Run({});
  ASSERT_EQ(state.at(sides.Right("a")).rule, MatchRule::kStructure);
  EXPECT_EQ(state.at(sides.Right("a")).match, sides.Class("a"));
}

// The right's constants are in a type of 16 bits.
class RoundedConstantTest : public ::testing::Test {
 protected:
  // Whether the right's constant is taken for the left's: of 1.5 and this; `half` in bits.
  static bool IsMatched(const std::string& left, uint16_t half) {
    const ForcedSides sides(
        absl::StrReplaceAll(R"((float[4] x) => (float[4] y) <float[2] k = {1.5, @}> {
          s = ReduceSum<keepdims = 0>(k)
          y = Mul(x, s)
        })",
                            {{"@", left}}),
        absl::StrReplaceAll(R"((float[4] x) => (float[4] y) <float16[2] k = {15872, @}> {
          c = Cast<to = 1>(k)
          s = ReduceSum<keepdims = 0>(c)
          y = Mul(x, s)
        })",
                            {{"@", absl::StrCat(half)}}),
        Irregular(4));
    const int k = sides.Right("k");
    const ForcedState state = sides.Run().Run({});
    return state.at(k).match == sides.Class("k");
  }
};

TEST_F(RoundedConstantTest, IsTheLefts) { EXPECT_TRUE(IsMatched("0.3", 13517)); }

TEST_F(RoundedConstantTest, IsTheLeftsIfItIsNear) { EXPECT_TRUE(IsMatched("0.3", 13521)); }

TEST_F(RoundedConstantTest, IsAnotherIfItIsFar) { EXPECT_FALSE(IsMatched("0.3", 13640)); }

// It would be that if it were rounded: then nothing would tell of what is lost.
TEST_F(RoundedConstantTest, IsAnotherIfTheLeftsIsBeyondItsType) {
  EXPECT_FALSE(IsMatched("70000.0", 31743));
}

}  // namespace
}  // namespace onnxcmp::testing

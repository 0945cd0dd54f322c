// The runs that measure what causes do to the outputs.
#include "compare/causes/effects/cause_effects.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "tests/compare/forced_sides.h"

namespace onnxcmp::testing {
namespace {

// Two roads, each with something that may be wrong, that meet in y.
std::string Roads(const std::string& first, const std::string& second) {
  return absl::StrReplaceAll(R"((float[64] x) => (float[64] y) <float k = {@}, float m = {#}> {
    a = Mul(x, k)
    b = acme.Count(a)
    c = Add(x, m)
    d = acme.Count(c)
    y = Add(b, d)
  })",
                             {{"@", first}, {"#", second}});
}

class CauseEffectsTest : public ::testing::Test {
 protected:
  Replacements LeftsOf(std::initializer_list<const char*> names) const {
    Replacements replaced;
    for (const char* const name : names) {
      replaced[sides_.Right(name)] = sides_.classes().value(sides_.Class(name));
    }
    return replaced;
  }
  CauseEffects Effects(int64_t keep) const { return CauseEffects(run_, keep); }
  // What is left when these are replaced, by a run of its own.
  double Expected(std::initializer_list<const char*> names) const {
    return Effects(0).DistanceWithout(LeftsOf(names)).value_or(-1);
  }

  ForcedSides sides_ = ForcedSides(Roads("2", "0.5"), Roads("3", "0.75"), Irregular(64));
  const ForcedRun run_ = sides_.Run();
};

TEST_F(CauseEffectsTest, LaterRunsMakeOnlyWhatTheOtherReplacementsLeadTo) {
  const double first_alone = Expected({"a"});
  const double second_alone = Expected({"c"});
  EXPECT_GT(first_alone, 0);
  EXPECT_GT(second_alone, 0);
  EXPECT_NE(first_alone, second_alone);
  CauseEffects effects = Effects(int64_t{1} << 20);
  sides_.TakeCount();
  EXPECT_EQ(effects.DistanceWithout(LeftsOf({"a", "c"})), 0);
  EXPECT_EQ(sides_.TakeCount(), 2);
  // Without c's replacement its road runs again, and nothing else.
  EXPECT_EQ(effects.DistanceWithout(LeftsOf({"a"})), first_alone);
  EXPECT_EQ(sides_.TakeCount(), 1);
  EXPECT_EQ(effects.DistanceWithout(LeftsOf({"c"})), second_alone);
  EXPECT_EQ(sides_.TakeCount(), 1);
  // What was replaced alike is the same on both roads.
  EXPECT_EQ(effects.DistanceWithout(LeftsOf({"a", "c"})), 0);
  EXPECT_EQ(sides_.TakeCount(), 0);
}

TEST_F(CauseEffectsTest, WhatDoesNotFitRunsAgain) {
  CauseEffects effects = Effects(64 * sizeof(float));
  effects.DistanceWithout(LeftsOf({"a", "c"}));
  sides_.TakeCount();
  EXPECT_EQ(effects.DistanceWithout(LeftsOf({"a"})), Expected({"a"}));
  CauseEffects without = Effects(0);
  without.DistanceWithout(LeftsOf({"a", "c"}));
  sides_.TakeCount();
  without.DistanceWithout(LeftsOf({"a"}));
  EXPECT_EQ(sides_.TakeCount(), 2);
}

TEST_F(CauseEffectsTest, WhatNoOutputDependsOnDoesNotRun) {
  CauseEffects effects = Effects(0);
  sides_.TakeCount();
  EXPECT_EQ(effects.DistanceWithout(LeftsOf({"b", "d"})), 0);
  EXPECT_EQ(sides_.TakeCount(), 0);
  effects.DistanceWithout(LeftsOf({"b"}));
  EXPECT_EQ(sides_.TakeCount(), 1);
}

TEST_F(CauseEffectsTest, WhatIsAtHandIsNotMadeAgain) {
  const double expected = Expected({"a"});
  const Value zeros = Tensor::Of<float>({64}, std::vector<float>(64));
  std::vector<Value> plain(sides_.right_graph().stream().results.size());
  // What the replacement changes is not what it was.
  plain[Index(sides_.Right("b"))] = zeros;
  const ForcedRun changed = sides_.Run({}, plain);
  sides_.TakeCount();
  EXPECT_EQ(CauseEffects(changed, 0).DistanceWithout(LeftsOf({"a"})), expected);
  EXPECT_EQ(sides_.TakeCount(), 2);
  plain[Index(sides_.Right("d"))] = zeros;
  const ForcedRun kept = sides_.Run({}, plain);
  EXPECT_NE(CauseEffects(kept, 0).DistanceWithout(LeftsOf({"a"})), expected);
  EXPECT_EQ(sides_.TakeCount(), 1);
}

}  // namespace
}  // namespace onnxcmp::testing

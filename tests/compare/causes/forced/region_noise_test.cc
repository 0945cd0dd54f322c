// How often regions run until it is known whether rounding explains a difference.
#include "compare/causes/forced/region_noise.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "record/base/per_side.h"
#include "tests/compare/forced_sides.h"

namespace onnxcmp::testing {
namespace {

// y = `last` of b, which is a = `first`: on the right a node between them counts how often the
// region runs.
PerSide<std::string> Regions(const PerSide<std::string>& constants, const std::string& first,
                             const std::string& last) {
  PerSide<std::string> regions;
  for (const SideId side : kBothSides) {
    regions[side] = absl::StrReplaceAll(
        "(float[512] x) => (float[512] y) <float k = {@}> { a = $1 # y = $2 }",
        {{"@", constants[side]},
         {"$1", first},
         {"$2", last},
         {"#", side == SideId::kRight ? "b = acme.Count(a)" : "b = Identity(a)"}});
  }
  return regions;
}

// Most digits go where the large number is taken away again.
PerSide<std::string> Cancelling(const PerSide<std::string>& large) {
  return Regions(large, "Add(x, k)", "Sub(b, k)");
}

PerSide<std::string> Scaled(const PerSide<std::string>& factors) {
  return Regions(factors, "Mul(x, k)", "Neg(b)");
}

struct Judged {
  RegionNoise::NoiseRatio noise_ratio;
  int runs = 0;  // of the region
};

// Of y, paired with y.
Judged Judge(const PerSide<std::string>& regions) {
  ForcedSides sides(regions.left, regions.right, Irregular(512));
  const ForcedRun run = sides.Run();
  const int y = sides.Right("y");
  const ForcedState state = run.Run({{y, sides.Class("y")}});
  const RegionNoise noise(run, state);
  sides.TakeCount();
  Judged judged;
  judged.noise_ratio = noise.Judge(y);
  judged.runs = sides.TakeCount();
  return judged;
}

TEST(RegionNoiseTest, OneRunIsEnoughIfItExplainsTheDifference) {
  const Judged judged = Judge(Cancelling({"57", "101"}));
  // Its own last place does not explain it.
  EXPECT_GT(judged.noise_ratio.distance, 32 * EpsilonOf(DType::kFloat));
  EXPECT_LE(judged.noise_ratio.ratio, RegionNoise::kMaxRatio);
  EXPECT_EQ(judged.runs, 1);
}

TEST(RegionNoiseTest, OneRunOfEachIsEnoughIfNoneWillExplainIt) {
  const Judged judged = Judge(Scaled({"1.5", "1.7"}));
  EXPECT_GT(judged.noise_ratio.ratio, 1e3);
  EXPECT_EQ(judged.runs, 1);
}

TEST(RegionNoiseTest, NoneIsNeededForTheLastPlaces) {
  const Judged judged = Judge(Cancelling({"1", "1.25"}));
  EXPECT_GT(judged.noise_ratio.distance, 0);
  EXPECT_LE(judged.noise_ratio.ratio, RegionNoise::kMaxRatio);
  EXPECT_EQ(judged.runs, 0);
}

// What is masked rounds by more than the rest differs, which excuses none of it.
TEST(RegionNoiseTest, WhatIsMaskedExcusesItselfAlone) {
  constexpr char kMasked[] =
      "Mul(x, k) t = Constant<value = float {0.8}>() low = Constant<value = float {-1e9}>() "
      "zero = Constant<value = float {0}>() g = Greater(x, t) m = Where(g, low, zero)";
  EXPECT_GT(Judge(Regions({"1.5", "1.7"}, kMasked, "Add(b, m)")).noise_ratio.ratio, 1e3);
}

// x + k - m in a region of its own. What cancels rounds; another k alone is a mistake.
struct Terms {
  PerSide<std::string> k;
  PerSide<std::string> m;
};

// Results y0, y1, ... of the right, by regions that do the same.
class AlikeRegions {
 public:
  explicit AlikeRegions(const std::vector<Terms>& terms)
      : sides_(Graph(SideId::kLeft, terms), Graph(SideId::kRight, terms), Irregular(512)),
        run_(sides_.Run()),
        state_(run_.Run(Matches(terms.size()))),
        noise_(run_, state_) {}

  Judged Judge(size_t i) {
    const int y = sides_.Right(absl::StrCat("y", i));
    sides_.TakeCount();
    Judged judged;
    judged.noise_ratio = noise_.Judge(y);
    judged.runs = sides_.TakeCount();
    return judged;
  }

 private:
  static std::string Graph(SideId side, const std::vector<Terms>& terms) {
    constexpr char kRegion[] =
        "k# = Constant<value = float {@}>() m# = Constant<value = float {%}>() "
        "a# = Add(x, k#) b# = $(a#) y# = Sub(b#, m#) ";
    std::string outputs;
    std::string nodes;
    for (size_t i = 0; i < terms.size(); ++i) {
      absl::StrAppend(&outputs, i > 0 ? ", " : "", "float[512] y", i);
      absl::StrAppend(
          &nodes, absl::StrReplaceAll(kRegion,
                                      {{"#", absl::StrCat(i)},
                                       {"@", terms[i].k[side]},
                                       {"%", terms[i].m[side]},
                                       {"$", side == SideId::kRight ? "acme.Count" : "Identity"}}));
    }
    return absl::StrCat("(float[512] x) => (", outputs, ") { ", nodes, "}");
  }
  FixedMatches Matches(size_t count) const {
    FixedMatches matches;
    for (size_t i = 0; i < count; ++i) {
      const std::string name = absl::StrCat("y", i);
      matches[sides_.Right(name)] = sides_.Class(name);
    }
    return matches;
  }

  ForcedSides sides_;
  const ForcedRun run_;
  const ForcedState state_;
  RegionNoise noise_;
};

const Terms kFar[] = {{{"2", "3"}, {"1", "1"}},
                      {{"4", "5.5"}, {"1.5", "1.5"}},
                      {{"7", "8"}, {"2", "2"}},
                      {{"10", "12"}, {"3", "3"}},
                      {{"15", "17"}, {"4", "4"}}};

TEST(RegionNoiseTest, RegionsThatDoTheSameAreNotAllRun) {
  const Terms nearer = {{"20", "20.01"}, {"20", "20"}};
  AlikeRegions regions({kFar[0], kFar[1], kFar[2], kFar[3], nearer});
  for (const size_t i : {0, 1, 2}) {
    const Judged judged = regions.Judge(i);
    EXPECT_GT(judged.noise_ratio.ratio, RegionNoise::kMaxRatio);
    EXPECT_EQ(judged.runs, 1);
  }
  const Judged fourth = regions.Judge(3);
  EXPECT_GT(fourth.noise_ratio.ratio, RegionNoise::kMaxRatio);
  EXPECT_EQ(fourth.runs, 0);
  EXPECT_GE(regions.Judge(4).runs, 1);
}

TEST(RegionNoiseTest, TheyAreIfRoundingExplainsOneOfThem) {
  const Terms explained = {{"57", "101"}, {"57", "101"}};
  AlikeRegions regions({kFar[0], kFar[1], kFar[2], explained, kFar[4]});
  for (const size_t i : {0, 1, 2}) {
    EXPECT_GT(regions.Judge(i).noise_ratio.ratio, RegionNoise::kMaxRatio);
  }
  EXPECT_LE(regions.Judge(3).noise_ratio.ratio, RegionNoise::kMaxRatio);
  const Judged last = regions.Judge(4);
  EXPECT_GT(last.noise_ratio.ratio, RegionNoise::kMaxRatio);
  EXPECT_EQ(last.runs, 1);
}

// The right leaves n out, and what read it reads a. What reads a on both sides is innocent.
TEST(RegionNoiseTest, WhatReadsAnotherThanIsMeantAgreesOnItsOwn) {
  constexpr char kLeft[] = R"((float[64] x) => (float[64] y) {
    a = Sin(x)
    n = Exp(a)
    m = Tanh(n)
    y = Add(m, a)
  })";
  const std::string right =
      absl::StrReplaceAll(kLeft, {{"n = Exp(a)\n", ""}, {"Tanh(n)", "Tanh(a)"}});
  const auto agrees = [&](const std::string& graph, bool repaired) {
    ForcedSides sides(kLeft, graph, Irregular(64));
    const int y = sides.Right("y");
    FixedMatches fixed = {{y, sides.Class("y")}};
    if (repaired) fixed[sides.Right("a")] = sides.Class("n");
    const ForcedRun run = sides.Run();
    const ForcedState state = run.Run(fixed);
    const RegionNoise noise(run, state);
    EXPECT_GT(noise.Judge(y).ratio, RegionNoise::kMaxRatio);
    return noise.AgreesOnItsOwn(y);
  };
  EXPECT_TRUE(agrees(right, true));
  EXPECT_FALSE(agrees(right, false));
  EXPECT_FALSE(agrees(absl::StrReplaceAll(right, {{"Add(", "Sub("}}), true));
}

}  // namespace
}  // namespace onnxcmp::testing

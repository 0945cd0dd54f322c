// How often regions run until it is known whether rounding explains a difference.
#include "compare/forced/region_noise.h"

#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "tests/compare/forced_sides.h"

namespace onnxcmp::testing {
namespace {

// Most digits go where the large number is taken away again. The right's region counts its runs.
std::string Cancelling(const std::string& large, bool counts) {
  return absl::StrReplaceAll(
      "(float[512] x) => (float[512] y) <float k = {@}> { a = Add(x, k) # y = Sub(b, k) }",
      {{"@", large}, {"#", counts ? "b = acme.Count(a)" : "b = Identity(a)"}});
}

std::string Scaled(const std::string& factor, bool counts) {
  return absl::StrReplaceAll(
      "(float[512] x) => (float[512] y) <float k = {@}> { a = Mul(x, k) # y = Neg(b) }",
      {{"@", factor}, {"#", counts ? "b = acme.Count(a)" : "b = Identity(a)"}});
}

TEST(RegionNoiseTest, OneRunIsEnoughIfItExplainsTheDifference) {
  ForcedSides sides(Cancelling("57", false), Cancelling("101", true), Irregular(512));
  const ForcedRun run = sides.Run();
  const int y = sides.Right("y");
  const ForcedState state = run.Run({{y, sides.Class("y")}});
  const RegionNoise noise(run, state);
  sides.TakeCount();
  const RegionNoise::Verdict verdict = noise.Judge(y);
  // Its own last place does not explain it.
  EXPECT_GT(verdict.distance, 32 * EpsilonOf(DType::kFloat));
  EXPECT_LE(verdict.ratio, RegionNoise::kMaxRatio);
  EXPECT_EQ(sides.TakeCount(), 1);
}

TEST(RegionNoiseTest, OneRunOfEachIsEnoughIfNoneWillExplainIt) {
  ForcedSides sides(Scaled("1.5", false), Scaled("1.7", true), Irregular(512));
  const ForcedRun run = sides.Run();
  const int y = sides.Right("y");
  const ForcedState state = run.Run({{y, sides.Class("y")}});
  const RegionNoise noise(run, state);
  sides.TakeCount();
  EXPECT_GT(noise.Judge(y).ratio, 1e3);
  EXPECT_EQ(sides.TakeCount(), 1);
}

TEST(RegionNoiseTest, NoneIsNeededForTheLastPlaces) {
  ForcedSides sides(Cancelling("1", false), Cancelling("1.25", true), Irregular(512));
  const ForcedRun run = sides.Run();
  const int y = sides.Right("y");
  const ForcedState state = run.Run({{y, sides.Class("y")}});
  const RegionNoise noise(run, state);
  sides.TakeCount();
  const RegionNoise::Verdict verdict = noise.Judge(y);
  EXPECT_GT(verdict.distance, 0);
  EXPECT_LE(verdict.ratio, RegionNoise::kMaxRatio);
  EXPECT_EQ(sides.TakeCount(), 0);
}

}  // namespace
}  // namespace onnxcmp::testing

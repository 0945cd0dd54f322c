// Each ground of a ruling: if it is an objection or an excuse, and what it leaves in the pair.
#include "compare/outputs/rulings.h"

#include <string>

#include <gtest/gtest.h>

#include "compare/outputs/output_comparison.h"

namespace onnxcmp {
namespace {

struct GroundCase {
  Ground ground;
  bool agrees;
  bool in_reason;  // the text is the reason why values were not compared, and no fault of numbers
};

constexpr GroundCase kGroundCases[] = {
    {Ground::kOrder, false, true},          {Ground::kUnrelated, false, false},
    {Ground::kSignalToNoise, false, false}, {Ground::kLostPart, false, false},
    {Ground::kCause, false, false},         {Ground::kTies, true, false},
    {Ground::kHonestNoise, true, false},    {Ground::kNearer, true, false},
};

TEST(Rulings, AGroundDecidesWhateverWasMeasured) {
  for (const GroundCase& one : kGroundCases) {
    for (const bool measured : {false, true}) {
      OutputPair pair;
      pair.difference.beyond = measured ? 0 : 1;
      Rule(one.ground, "why", &pair);
      EXPECT_EQ(pair.agrees(), one.agrees) << RowOf(one.ground).name;
      EXPECT_EQ(pair.difference.reason, one.in_reason ? "why" : "");
      EXPECT_EQ(pair.difference.fault, one.agrees || one.in_reason ? "" : "why");
      ASSERT_EQ(pair.rulings.size(), 1U);
      EXPECT_EQ(pair.rulings[0].decides, measured != one.agrees);
    }
  }
}

TEST(Rulings, TheLastOneCounts) {
  OutputPair pair;
  Rule(Ground::kHonestNoise, "", &pair);
  Rule(Ground::kCause, "moved", &pair);
  EXPECT_FALSE(pair.agrees());
  Rule(Ground::kNearer, "", &pair);
  EXPECT_TRUE(pair.agrees());
  EXPECT_EQ(pair.rulings.size(), 3U);
}

TEST(Rulings, OutputsAgreeIfAllPairsDo) {
  OutputComparison outputs;
  outputs.pairs.resize(2);
  EXPECT_TRUE(outputs.agree());
  Rule(Ground::kSignalToNoise, "3 dB", &outputs.pairs[1]);
  EXPECT_FALSE(outputs.agree());
  outputs.pairs.clear();
  EXPECT_FALSE(outputs.agree());
}

}  // namespace
}  // namespace onnxcmp

#include "compare/recorded/misplaced_results.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/container/flat_hash_map.h"
#include "tests/support/built_comparison.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::BuiltSide;
using ::onnxcmp::testing::SomeFloats;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A model of four results of one shape, of which a recording has the first, then the first again.
class MisplacedResultsTest : public ::testing::Test {
 protected:
  MisplacedResultsTest() {
    int last = model_.Input("x", SomeFloats({4, 8}, 1));
    uint64_t seed = 2;
    for (const char* name : {"a", "b", "c", "d"}) {
      last = model_.Node("MatMul", {last}, name, SomeFloats({4, 8}, seed++));
    }
  }
  absl::flat_hash_map<int, std::vector<int>> Misplaced(const std::vector<std::pair<int, int>>& near,
                                                       int open) {
    absl::flat_hash_map<int, int> settled;
    for (const auto& [r, m] : near) settled.try_emplace(m, r);
    return MisplacedResults(recording_.stream(), model_.stream(), near, settled, open);
  }
  BuiltSide model_;
  BuiltSide recording_;
};

TEST_F(MisplacedResultsTest, ACopyMayBeOfWhatComesNext) {
  recording_.Recorded("t0", SomeFloats({4, 8}, 2));
  recording_.Recorded("t1", SomeFloats({4, 8}, 2));
  recording_.Recorded("t2", SomeFloats({4, 8}, 77));
  const auto misplaced = Misplaced({{0, 1}, {1, 1}}, 2);
  ASSERT_TRUE(misplaced.contains(1));
  EXPECT_THAT(misplaced.at(1), ElementsAre(2, 3, 4));
  EXPECT_FALSE(misplaced.contains(0));
}

TEST_F(MisplacedResultsTest, SoMayWhatLiesAhead) {
  recording_.Recorded("t0", SomeFloats({4, 8}, 2));
  recording_.Recorded("t1", SomeFloats({4, 8}, 5));
  recording_.Recorded("t2", SomeFloats({4, 8}, 77));
  const auto misplaced = Misplaced({{0, 1}, {1, 4}}, 2);
  ASSERT_TRUE(misplaced.contains(1));
  EXPECT_THAT(misplaced.at(1), ElementsAre(2, 3));
}

// What is computed from "b" was recorded and is right, so that nothing else is "b".
TEST_F(MisplacedResultsTest, NotWhereWhatComesAfterIsRight) {
  recording_.Recorded("t0", SomeFloats({4, 8}, 2));
  recording_.Recorded("t1", SomeFloats({4, 8}, 5));
  recording_.Recorded("t2", SomeFloats({4, 8}, 4));
  recording_.Recorded("t3", SomeFloats({4, 8}, 77));
  EXPECT_FALSE(Misplaced({{0, 1}, {1, 4}, {2, 3}}, 3).contains(1));
}

// Nothing is free between what was recorded.
TEST_F(MisplacedResultsTest, NothingWhereAllWasRecorded) {
  for (uint64_t seed = 2; seed < 6; ++seed) recording_.Recorded("t", SomeFloats({4, 8}, seed));
  recording_.Recorded("t4", SomeFloats({4, 8}, 5));
  EXPECT_THAT(Misplaced({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 4}}, 5), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp

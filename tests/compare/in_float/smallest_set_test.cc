#include "compare/in_float/smallest_set.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> UpTo(int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// A search for a set that holds all of `needed`, which is tried `most` times at most.
struct Search {
  std::vector<int> needed;
  int most = 1000;
  int trials = 0;

  SmallestSet Among(int count) {
    return FindSmallestSet(
        UpTo(count),
        [&](const std::vector<int>& set) {
          ++trials;
          return std::all_of(needed.begin(), needed.end(), [&](int number) {
            return std::find(set.begin(), set.end(), number) != set.end();
          });
        },
        [&] { return trials < most; });
  }
};

TEST(SmallestSet, WhatIsNotNeededIsLeftOut) {
  Search search{{2, 3, 40}};
  const SmallestSet found = search.Among(64);
  EXPECT_THAT(found.members, ElementsAre(2, 3, 40));
  EXPECT_FALSE(found.cut_short);
}

TEST(SmallestSet, TheMostPromisingOnesTakeFewTrials) {
  Search search{{0, 1, 2}};
  EXPECT_THAT(search.Among(1000).members, ElementsAre(0, 1, 2));
  EXPECT_LT(search.trials, 12);
}

TEST(SmallestSet, OneMayBeEnough) {
  Search search{{0}};
  EXPECT_THAT(search.Among(1).members, ElementsAre(0));
  EXPECT_THAT(search.Among(7).members, ElementsAre(0));
}

TEST(SmallestSet, NoneWhereAllAreNotEnough) {
  Search search{{64}};
  EXPECT_THAT(search.Among(64).members, IsEmpty());
  EXPECT_EQ(search.trials, 1);
  EXPECT_THAT(search.Among(0).members, IsEmpty());
}

TEST(SmallestSet, ASearchThatIsCutShortSaysSo) {
  Search search{{0, 20}, 8};
  const SmallestSet found = search.Among(64);
  EXPECT_TRUE(found.cut_short);
  EXPECT_THAT(found.members, ::testing::IsSupersetOf({0, 20}));
  EXPECT_LE(search.trials, 8);
}

}  // namespace
}  // namespace onnxcmp

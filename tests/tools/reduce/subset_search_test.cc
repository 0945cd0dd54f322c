#include "tools/reduce/subset_search.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::Le;

using Set = std::vector<int>;

// A search for the items of `wanted` among `count`.
struct Game {
  int count;
  std::set<int> wanted;
  int asked = 0;
  std::vector<Set> ahead = {};

  Set Play(int ahead_count = 1) {
    SubsetQuestions questions;
    questions.holds = [this](const Set& set) {
      ++asked;
      return absl::StatusOr<bool>(
          std::includes(set.begin(), set.end(), wanted.begin(), wanted.end()));
    };
    questions.ahead = [this](const std::vector<Set>& sets) {
      ahead.insert(ahead.end(), sets.begin(), sets.end());
      return absl::OkStatus();
    };
    questions.ahead_count = ahead_count;
    return SmallSubset(count, questions).value();
  }
};

TEST(SubsetSearchTest, OneOfMany) {
  for (const int wanted : {0, 1, 511, 998, 999}) {
    Game game{1000, {wanted}};
    EXPECT_THAT(game.Play(), ElementsAre(wanted));
    EXPECT_THAT(game.asked, Le(12)) << wanted;
  }
}

TEST(SubsetSearchTest, SeveralOfMany) {
  Game game{1000, {3, 400, 401, 977}};
  EXPECT_THAT(game.Play(), ElementsAre(3, 400, 401, 977));
  EXPECT_THAT(game.asked, Le(4 * 22));
}

TEST(SubsetSearchTest, AllOfThem) {
  Game game{5, {0, 1, 2, 3, 4}};
  EXPECT_THAT(game.Play(), ElementsAre(0, 1, 2, 3, 4));
}

TEST(SubsetSearchTest, TheOrderIsThatOfTheUser) {
  SubsetQuestions questions;
  int asked = 0;
  questions.holds = [&](const Set& set) {
    ++asked;
    const Set wanted = {2, 900};
    return absl::StatusOr<bool>(
        std::includes(set.begin(), set.end(), wanted.begin(), wanted.end()));
  };
  // Item 2 is next to item 900.
  questions.order = [](const std::vector<int>& needed, const Set& rest) {
    std::vector<int> order = rest;
    if (!needed.empty()) {
      std::stable_sort(order.begin(), order.end(),
                       [](int a, int b) { return std::abs(a - 2) < std::abs(b - 2); });
    }
    return order;
  };
  EXPECT_THAT(SmallSubset(1000, questions).value(), ElementsAre(2, 900));
  EXPECT_THAT(asked, Le(16));
}

TEST(SubsetSearchTest, WhatMoreItemsTakeAwayIsFoundAllTheSame) {
  SubsetQuestions questions;
  // Holds for sets with 7, but not for those with 7 and 8 alone.
  questions.holds = [](const Set& set) {
    const bool seven = std::count(set.begin(), set.end(), 7) > 0;
    return absl::StatusOr<bool>(seven && set != Set({7, 8}));
  };
  EXPECT_THAT(SmallSubset(20, questions).value(), ElementsAre(7));
}

TEST(SubsetSearchTest, NoneIfNoneIsNeeded) {
  SubsetQuestions questions;
  questions.empty_may_hold = true;
  questions.holds = [](const Set&) { return absl::StatusOr<bool>(true); };
  EXPECT_THAT(SmallSubset(20, questions).value(), IsEmpty());
}

TEST(SubsetSearchTest, WhatIsTriedAheadChangesNothing) {
  Game alone{300, {17, 203}}, together{300, {17, 203}};
  const Set result = alone.Play();
  EXPECT_THAT(together.Play(8), ElementsAreArray(result));
  EXPECT_EQ(alone.asked, together.asked);
  EXPECT_FALSE(together.ahead.empty());
}

TEST(SubsetSearchTest, ErrorsEndIt) {
  SubsetQuestions questions;
  questions.holds = [](const Set&) { return absl::StatusOr<bool>(absl::InternalError("no more")); };
  EXPECT_EQ(SmallSubset(4, questions).status().message(), "no more");
}

}  // namespace
}  // namespace onnxcmp

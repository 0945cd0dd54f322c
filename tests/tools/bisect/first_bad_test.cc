#include "tools/bisect/first_bad.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Asks until nothing is left to ask; returns the number of candidates that were good or bad.
size_t Search(const std::function<Answer(size_t)>& judge, FirstBadSearch* search) {
  size_t judged = 0;
  size_t asked = 0;
  while (const std::optional<size_t> next = search->Next()) {
    EXPECT_EQ(search->answer(*next), Answer::kNone);
    const Answer answer = judge(*next);
    if (answer != Answer::kSkip) ++judged;
    search->Put(*next, answer);
    if (++asked > search->count()) break;  // without an end
  }
  EXPECT_LE(asked, search->count());
  return judged;
}

size_t Limit(size_t count) {
  return static_cast<size_t>(std::ceil(std::log2(static_cast<double>(count)))) + 1;
}

TEST(FirstBadTest, EveryPlaceInSetsOfAllSizes) {
  for (size_t count = 1; count <= 130; ++count) {
    // `first` == count: none is bad.
    for (size_t first = 0; first <= count; ++first) {
      for (const bool knows_first : {false, true}) {
        if (knows_first && (first == 0 || count == 1)) continue;
        FirstBadSearch search(count);
        if (knows_first) search.Put(0, Answer::kGood);
        const size_t most = search.MostJudged();
        const size_t judged =
            Search([&](size_t i) { return i < first ? Answer::kGood : Answer::kBad; }, &search);
        EXPECT_LE(judged, most) << count << " " << first;
        EXPECT_LE(most, Limit(count)) << count;
        EXPECT_EQ(search.bad(), first < count ? std::optional<size_t>(first) : std::nullopt);
        if (first > 0) {
          EXPECT_EQ(search.good(), first - 1);
        }
        EXPECT_THAT(search.Skipped(), IsEmpty());
        EXPECT_THAT(search.GoodAgain(), IsEmpty());
      }
    }
  }
}

// Whatever cannot be judged, the first bad one is among those that are left, and all others are
// not.
TEST(FirstBadTest, SkippedOnesAreLeftOut) {
  constexpr size_t kCount = 40;
  for (size_t first = 1; first < kCount; ++first) {
    for (size_t begin = 1; begin < kCount; begin += 3) {
      for (const size_t length : {1, 4, 20}) {
        FirstBadSearch search(kCount);
        search.Put(0, Answer::kGood);
        const auto skips = [&](size_t i) { return i >= begin && i < begin + length; };
        Search(
            [&](size_t i) {
              return skips(i) ? Answer::kSkip : i < first ? Answer::kGood : Answer::kBad;
            },
            &search);
        size_t first_judged = first;
        while (first_judged < kCount && skips(first_judged)) ++first_judged;
        if (first_judged == kCount) {
          EXPECT_EQ(search.bad(), std::nullopt);
          continue;
        }
        ASSERT_EQ(search.bad(), first_judged);
        size_t last_good = first - 1;
        while (skips(last_good)) --last_good;
        EXPECT_EQ(search.good(), last_good);
        EXPECT_EQ(search.Skipped().size(), first_judged - last_good - 1);
      }
    }
  }
}

// Of a hundred neighbours that cannot be judged few are asked if others can be.
TEST(FirstBadTest, LeavesABlockOfSkippedOnesQuickly) {
  FirstBadSearch search(1000);
  search.Put(0, Answer::kGood);
  size_t asked = 0;
  Search(
      [&](size_t i) {
        ++asked;
        return i >= 450 && i < 550 ? Answer::kSkip : i < 200 ? Answer::kGood : Answer::kBad;
      },
      &search);
  EXPECT_EQ(search.bad(), 200);
  EXPECT_LE(asked, 20);
}

TEST(FirstBadTest, AFaultThatWasMendedIsFoundAndSaid) {
  FirstBadSearch search(32);
  search.Put(0, Answer::kGood);
  const size_t judged =
      Search([](size_t i) { return i >= 10 && i < 20 ? Answer::kBad : Answer::kGood; }, &search);
  EXPECT_EQ(search.bad(), 10);
  EXPECT_EQ(search.good(), 9);
  EXPECT_THAT(search.GoodAgain(), ElementsAre(31));
  EXPECT_LE(judged, Limit(32));
}

TEST(FirstBadTest, AnswersOfAnotherRunMayContradict) {
  FirstBadSearch search(10);
  search.Put(7, Answer::kGood);
  search.Put(4, Answer::kBad);
  Search([](size_t i) { return i < 3 ? Answer::kGood : Answer::kBad; }, &search);
  EXPECT_EQ(search.bad(), 3);
  EXPECT_THAT(search.GoodAgain(), ElementsAre(7));
}

TEST(FirstBadTest, NothingToAsk) {
  EXPECT_EQ(FirstBadSearch(0).Next(), std::nullopt);
  FirstBadSearch search(1);
  EXPECT_EQ(search.Next(), 0);
  EXPECT_EQ(search.MostJudged(), 1);
  search.Put(0, Answer::kBad);
  EXPECT_EQ(search.Next(), std::nullopt);
  EXPECT_EQ(search.MostJudged(), 0);
  EXPECT_EQ(search.good(), std::nullopt);
}

}  // namespace
}  // namespace onnxcmp

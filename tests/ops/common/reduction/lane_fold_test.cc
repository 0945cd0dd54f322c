#include "ops/common/reduction/lane_fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// A block as the header describes it, element by element.
template <typename Fold, typename C>
C FoldAsDescribed(const C* x, int64_t count, C center) {
  std::vector<C> acc(kFoldWidth, Fold::template Identity<C>());
  for (int64_t i = 0; i < count; ++i) {
    C& to = acc[static_cast<size_t>(i % kFoldWidth)];
    to = Fold::Combine(to, Fold::Map(x[i], center));
  }
  for (size_t half = acc.size() / 2; half > 0; half /= 2) {
    for (size_t k = 0; k < half; ++k) acc[k] = Fold::Combine(acc[k], acc[k + half]);
  }
  return acc[0];
}

template <typename C>
std::vector<C> Numbers(size_t count) {
  std::vector<C> x(count);
  for (size_t i = 0; i < count; ++i) {
    x[i] = static_cast<C>(1000 * std::sin(static_cast<double>(i) * 12.9898)) / C{3};
  }
  return x;
}

template <typename Fold, typename C>
void ExpectTheOrderThatIsDescribed(C center) {
  const std::vector<C> x = Numbers<C>(kFoldBlock);
  for (int64_t count = 1; count <= kFoldBlock; count += count < 140 ? 1 : 97) {
    for (int64_t offset = 0; offset < 3 && offset + count <= kFoldBlock; ++offset) {
      EXPECT_EQ((FoldLane<Fold, C>(x.data() + offset, count, center)),
                (FoldAsDescribed<Fold, C>(x.data() + offset, count, center)))
          << count << " elements from " << offset;
    }
  }
}

TEST(LaneFoldTest, BlocksOfAnyLengthAreFoldedInTheOrderThatIsDescribed) {
  ExpectTheOrderThatIsDescribed<SumFold, float>(0);
  ExpectTheOrderThatIsDescribed<SumFold, double>(0);
  ExpectTheOrderThatIsDescribed<SumFold, uint64_t>(0);
  ExpectTheOrderThatIsDescribed<SquaredDeviationFold, float>(7.5f);
  ExpectTheOrderThatIsDescribed<SquaredDeviationFold, float>(kInf);
  ExpectTheOrderThatIsDescribed<MaxFold, float>(0);
  ExpectTheOrderThatIsDescribed<MinFold, double>(0);
  ExpectTheOrderThatIsDescribed<MaxFold, int64_t>(0);
}

TEST(LaneFoldTest, NaNIsFoundWhereverItStands) {
  for (int64_t count : {1, 5, 16, 33, 70}) {
    for (int64_t at = 0; at < count; ++at) {
      std::vector<float> x = Numbers<float>(static_cast<size_t>(count));
      x[static_cast<size_t>(at)] = kNaN;
      EXPECT_TRUE(std::isnan(FoldLane<MaxFold>(x.data(), count))) << at << " of " << count;
      EXPECT_TRUE(std::isnan(FoldLane<MinFold>(x.data(), count))) << at << " of " << count;
    }
  }
}

// Short lanes are folded several at a time; the rest, and long ones, one by one.
template <typename Fold, typename C>
void ExpectEachLaneAsIfAlone(bool with_nan) {
  const std::vector<C> numbers = Numbers<C>(6000);
  for (int64_t count : {0, 1, 3, 7, 8, 16, 31, 32, 33, 49, 127, 128, 129, 300}) {
    for (int64_t lanes : {1, 4, 8, 19}) {
      const int64_t pitch = count + 1;
      std::vector<C> x = numbers;
      if (with_nan && count > 0) x[static_cast<size_t>(lanes / 2 * pitch + count - 1)] = C(kNaN);
      const std::vector<C> centers = Numbers<C>(19);
      std::vector<C> out(static_cast<size_t>(lanes) + 1, C{42});
      FoldLanes<Fold, C>(x.data(), pitch, lanes, count, centers.data(), out.data());
      for (int64_t i = 0; i < lanes; ++i) {
        const C of_lane =
            FoldAsDescribed<Fold, C>(x.data() + i * pitch, count, centers[static_cast<size_t>(i)]);
        const C result = out[static_cast<size_t>(i)];
        EXPECT_TRUE(result == of_lane || (result != result && of_lane != of_lane))
            << "lane " << i << " of " << lanes << ", " << count << " elements: " << result;
      }
      EXPECT_EQ(out.back(), C{42}) << "written beyond the end";
    }
  }
}

TEST(LaneFoldTest, NeighboursDoNotMatter) {
  ExpectEachLaneAsIfAlone<SumFold, float>(false);
  ExpectEachLaneAsIfAlone<SumFold, double>(true);
  ExpectEachLaneAsIfAlone<SumFold, uint64_t>(false);
  ExpectEachLaneAsIfAlone<SquaredDeviationFold, float>(false);
  ExpectEachLaneAsIfAlone<MaxFold, float>(false);
  ExpectEachLaneAsIfAlone<MaxFold, float>(true);
  ExpectEachLaneAsIfAlone<MaxFold, double>(true);
  ExpectEachLaneAsIfAlone<MinFold, float>(true);
  ExpectEachLaneAsIfAlone<MinFold, int64_t>(false);
}

}  // namespace
}  // namespace onnxcmp::testing

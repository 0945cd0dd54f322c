#include "ops/common/reduction/fold_columns.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr int64_t kPitch = 80;
constexpr int64_t kRows = 5;

template <typename C>
std::vector<C> Numbers() {
  std::vector<C> x(kRows * kPitch);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<C>(1000 * std::sin(static_cast<double>(i) * 12.9898)) / C{3};
  }
  return x;
}

std::vector<int64_t> Offsets() {
  std::vector<int64_t> offsets;
  for (int64_t r = 0; r < kRows; ++r) offsets.push_back(r * kPitch + r);
  return offsets;
}

template <typename Fold, typename C>
C Column(const std::vector<C>& x, int64_t rows, int64_t t, C center) {
  C value = Fold::template Identity<C>();
  for (int64_t r = 0; r < rows; ++r) {
    const C element = x[static_cast<size_t>(Offsets()[static_cast<size_t>(r)] + t)];
    value = Fold::Combine(value, Fold::Map(element, center));
  }
  return value;
}

template <typename Fold, typename C>
void ExpectColumnsFolded() {
  const std::vector<C> x = Numbers<C>();
  const std::vector<int64_t> offsets = Offsets();
  for (int64_t width = 0; width <= 75; ++width) {
    for (int64_t rows = 0; rows <= kRows; ++rows) {
      std::vector<C> out(static_cast<size_t>(width) + 1, C{42});
      EXPECT_FALSE(FoldColumns<Fold>(x.data(), offsets.data(), rows, width, out.data()));
      for (int64_t t = 0; t < width; ++t) {
        ASSERT_EQ(out[static_cast<size_t>(t)], (Column<Fold, C>(x, rows, t, 0)))
            << t << " of " << width;
      }
      ASSERT_EQ(out.back(), C{42}) << "written beyond the end";
      // The first rows, and the others onto them.
      const int64_t first = rows / 2;
      std::vector<C> parts(out.size(), C{42});
      FoldColumns<Fold>(x.data(), offsets.data(), first, width, parts.data());
      FoldColumnsOnto<Fold, C>(x.data(), offsets.data() + first, rows - first, width, parts.data(),
                               nullptr);
      ASSERT_EQ(parts, out) << width;
    }
  }
}

TEST(FoldColumnsTest, AnyWidth) {
  ExpectColumnsFolded<SumFold, float>();
  ExpectColumnsFolded<SumFold, double>();
  ExpectColumnsFolded<MaxFold, float>();
  ExpectColumnsFolded<OrderedMinFold, double>();
  ExpectColumnsFolded<MaxFold, int64_t>();
}

// Columns in the order of lane_fold.h have the bits of lanes.
TEST(FoldColumnsTest, ColumnsAsLanes) {
  std::vector<float> x(1000 * 37);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(std::sin(static_cast<double>(i) * 12.9898));
  }
  for (int64_t rows : {1, 16, 31, 32, 33, 64, 100, 1000}) {
    for (int64_t width : {1, 3, 4, 7, 8, 13, 32, 37}) {
      std::vector<int64_t> offsets;
      for (int64_t r = 0; r < rows; ++r) offsets.push_back(r * width);
      std::vector<float> out(static_cast<size_t>(width));
      const std::vector<float> centers(x.begin() + 50, x.begin() + 50 + width);
      FoldColumnsAsLanes<SquaredDeviationFold>(x.data(), offsets.data(), rows, width,
                                               centers.data(), out.data());
      for (int64_t t = 0; t < width; ++t) {
        std::vector<float> lane;
        for (const int64_t offset : offsets) lane.push_back(x[static_cast<size_t>(offset + t)]);
        EXPECT_EQ(
            out[static_cast<size_t>(t)],
            FoldLane<SquaredDeviationFold>(lane.data(), rows, centers[static_cast<size_t>(t)]))
            << t << " of " << width << ", " << rows << " rows";
      }
    }
  }
}

TEST(FoldColumnsTest, CentersAndFinish) {
  const std::vector<float> x = Numbers<float>();
  const std::vector<int64_t> offsets = Offsets();
  for (int64_t width : {1, 3, 8, 35, 75}) {
    std::vector<float> out(static_cast<size_t>(width));
    const std::vector<float> centers(x.begin() + 100, x.begin() + 100 + width);
    FoldColumns<SquaredDeviationFold>(x.data(), offsets.data(), kRows, width, out.data(),
                                      centers.data(), [&]<typename V>(V value, int64_t t) {
                                        V factor;
                                        std::memcpy(&factor, x.data() + t, sizeof(V));
                                        return V(value * factor);
                                      });
    for (int64_t t = 0; t < width; ++t) {
      const float center = centers[static_cast<size_t>(t)];
      EXPECT_EQ(
          out[static_cast<size_t>(t)],
          (Column<SquaredDeviationFold, float>(x, kRows, t, center) * x[static_cast<size_t>(t)]));
    }
  }
}

template <typename Fold, typename C>
void ExpectColumnsDealt() {
  const std::vector<C> x = Numbers<C>();
  const std::vector<int64_t> offsets = Offsets();
  for (int64_t width = 0; width <= 75; ++width) {
    std::vector<C> even(static_cast<size_t>((width + 1) / 2) + 1, C{42});
    std::vector<C> odd(static_cast<size_t>(width / 2) + 1, C{42});
    DealColumns<Fold>(x.data(), offsets.data(), kRows, width, even.data(), odd.data());
    for (int64_t t = 0; t < width; ++t) {
      ASSERT_EQ((t % 2 == 0 ? even : odd)[static_cast<size_t>(t / 2)],
                (Column<Fold, C>(x, kRows, t, 0)))
          << t << " of " << width;
    }
    ASSERT_EQ(even.back(), C{42}) << "written beyond the end";
    ASSERT_EQ(odd.back(), C{42}) << "written beyond the end";
  }
}

TEST(FoldColumnsTest, EvenAndOddColumnsApart) {
  ExpectColumnsDealt<SumFold, float>();
  ExpectColumnsDealt<SumFold, double>();
  ExpectColumnsDealt<OrderedMaxFold, float>();
}

// Wherever it stands, an ordered fold says that it cannot be relied on.
template <typename C>
void ExpectNaNFound() {
  const std::vector<int64_t> offsets = Offsets();
  for (int64_t width : {1, 2, 3, 5, 8, 13, 33, 75}) {
    std::vector<C> out(static_cast<size_t>(width));
    std::vector<C> other(static_cast<size_t>(width));
    for (int64_t at = 0; at < width; ++at) {
      for (int64_t row : {int64_t{0}, kRows - 1}) {
        std::vector<C> x = Numbers<C>();
        x[static_cast<size_t>(offsets[static_cast<size_t>(row)] + at)] = C(kNaN);
        EXPECT_TRUE(FoldColumns<OrderedMaxFold>(x.data(), offsets.data(), kRows, width, out.data()))
            << at << " of " << width;
        EXPECT_TRUE((FoldColumnsOnto<OrderedMaxFold, C>(x.data(), offsets.data(), kRows, width,
                                                        out.data(), nullptr)))
            << at << " of " << width;
        EXPECT_TRUE(DealColumns<OrderedMinFold>(x.data(), offsets.data(), kRows, width, out.data(),
                                                other.data()))
            << at << " of " << width;
      }
    }
  }
}

TEST(FoldColumnsTest, NaNIsFound) {
  ExpectNaNFound<float>();
  ExpectNaNFound<double>();
}

}  // namespace
}  // namespace onnxcmp::testing

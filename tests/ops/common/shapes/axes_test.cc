#include "ops/common/shapes/axes.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(AxesTest, CountsNegativeAxesFromTheBack) {
  EXPECT_EQ(NormalizeAxis(0, 3).value(), 0);
  EXPECT_EQ(NormalizeAxis(2, 3).value(), 2);
  EXPECT_EQ(NormalizeAxis(-1, 3).value(), 2);
  EXPECT_EQ(NormalizeAxis(-3, 3).value(), 0);
  EXPECT_EQ(NormalizeAxes({-1, 0}, 3).value(), (Axes{2, 0}));
}

TEST(AxesTest, RefusesAxesOutOfRange) {
  for (int64_t axis : {int64_t{3}, int64_t{-4}, INT64_MIN, INT64_MAX}) {
    ExpectError(NormalizeAxis(axis, 3).status(), kInvalid,
                "axis " + std::to_string(axis) + " is out of range for rank 3");
  }
  ExpectError(NormalizeAxis(0, 0).status(), kInvalid, "axis 0 is out of range for rank 0");
}

TEST(AxesTest, RefusesAnAxisTwice) {
  ExpectError(NormalizeAxes({1, -2}, 3).status(), kInvalid, "axis -2 is given twice");
}

}  // namespace
}  // namespace onnxcmp::testing

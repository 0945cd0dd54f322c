#include "compare/recorded/layout_name.h"

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

TEST(LayoutNameTest, OrdersOfAxesShapesAndRows) {
  EXPECT_EQ(LayoutName({{0, 3, 1, 2}, {}, {2, 3, 8, 9}}, {2, 8, 9, 3}, false), "NHWC");
  EXPECT_EQ(LayoutName({{0, 2, 1}, {}, {2, 3, 8}}, {2, 8, 3}, false), "NWC");
  EXPECT_EQ(LayoutName({{0, 2, 1}, {}, {2, 3, 8}}, {2, 8, 3}, true), "a transposition, axes 0 2 1");
  EXPECT_EQ(LayoutName({{1, 0}, {}, {4, 2}}, {2, 4}, false), "axes 1 0");
  EXPECT_EQ(LayoutName({{}, {}, {2, 4}}, {8}, false), "[8]");
  EXPECT_EQ(LayoutName({{}, {1, 0}, {2, 4}}, {2, 4}, false), "rows 1 0");
}

}  // namespace
}  // namespace onnxcmp

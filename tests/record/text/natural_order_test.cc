#include "record/text/natural_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

TEST(NaturalOrderTest, NumbersCount) {
  std::vector<std::string> names = {"layer_10.w",
                                    "layer_2.w",
                                    "layer_2.b",
                                    "layer",
                                    "input_0",
                                    "layer_99999999999999999999",
                                    "layer_100000000000000000000"};
  std::sort(names.begin(), names.end(), NaturallyLess);
  EXPECT_THAT(names, ElementsAre("input_0", "layer", "layer_2.b", "layer_2.w", "layer_10.w",
                                 "layer_99999999999999999999", "layer_100000000000000000000"));
}

TEST(NaturalOrderTest, IsStrict) {
  EXPECT_FALSE(NaturallyLess("", ""));
  EXPECT_FALSE(NaturallyLess("a1", "a1"));
  EXPECT_TRUE(NaturallyLess("", "0"));
  EXPECT_TRUE(NaturallyLess("a01", "a1"));  // the same number
  EXPECT_FALSE(NaturallyLess("a1", "a01"));
  EXPECT_TRUE(NaturallyLess("a", "\xff"));
  EXPECT_TRUE(NaturallyLess("a00", "a00b"));
}

}  // namespace
}  // namespace onnxcmp

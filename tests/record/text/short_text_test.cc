#include "record/text/short_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

TEST(ShortTextTest, NumbersHaveOneFormat) {
  EXPECT_EQ(TwoDigits(0), "0");
  EXPECT_EQ(TwoDigits(2.44e-7), "2.4e-07");
  EXPECT_EQ(TwoDigits(0.001), "0.001");
  EXPECT_EQ(TwoDigits(0.0009996), "0.001");
  EXPECT_EQ(TwoDigits(0.000994), "9.9e-04");
  EXPECT_EQ(TwoDigits(0.0625), "0.062");  // to the even digit, as on the page
  EXPECT_EQ(TwoDigits(-0.5), "-0.5");
  EXPECT_EQ(TwoDigits(12.345), "12.3");
  EXPECT_EQ(TwoDigits(119.6), "120");
  EXPECT_EQ(TwoDigits(1234.5), "1230");
  EXPECT_EQ(TwoDigits(1234), "1234");
  EXPECT_EQ(TwoDigits(3.4e6), "3.4e+06");
  EXPECT_EQ(TwoDigits(3400000, /*integer=*/true), "3400000");
  EXPECT_EQ(TwoDigits(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(TwoDigits(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(ShortTextTest, PercentsHaveNoExponent) {
  EXPECT_EQ(PercentText(0.00062), "0.062 %");
  EXPECT_EQ(PercentText(0.12), "12 %");
  EXPECT_EQ(PercentText(0.996), "100 %");
  EXPECT_EQ(PercentText(1.2), "120 %");
  EXPECT_EQ(PercentText(123.4), "12340 %");
  EXPECT_EQ(PercentText(3.4e6), "3.4e+06 times");
}

}  // namespace
}  // namespace onnxcmp

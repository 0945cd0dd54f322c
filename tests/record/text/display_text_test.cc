#include "record/text/display_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

TEST(PrintableTextTest, EscapesWhatSteersATerminal) {
  EXPECT_EQ(PrintableText("layer.0/Add_output_0"), "layer.0/Add_output_0");
  EXPECT_EQ(PrintableText("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
  EXPECT_EQ(PrintableText("\u202Eevil\u200B"), "\\u202eevil\\u200b");
  EXPECT_EQ(PrintableText("\xC2\x9B"), "\\x9b");  // CSI in one character
  EXPECT_EQ(PrintableText("gr\u00FC\u00DFe 重み"), "gr\u00FC\u00DFe 重み");
  EXPECT_EQ(PrintableText("a\xFF"), "a\uFFFD");
  EXPECT_EQ(PrintableText("\U000E0041"), "\\U000e0041");
}

TEST(AsciiTextTest, SignsHaveTwins) {
  EXPECT_EQ(AsciiText("≈ ≠ … → ← ↑ ↓ └ ─ × ·"), "~ ! .. -> <- ^ v \\_ - x *");
  EXPECT_EQ(AsciiText("ü重\U0001F600"), "\\xfc\\u91cd\\U0001f600");
}

TEST(DisplayWidthTest, WideAndCombining) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("重み"), 4);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth("≈…"), 2);
  EXPECT_EQ(DisplayWidth("\U0001F600"), 2);
}

TEST(ShortenTest, KeepsToTheWidth) {
  EXPECT_EQ(ShortenMiddle("abcdefghij", 10, "…"), "abcdefghij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 6, "…"), "ab…hij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 6, ".."), "ab..ij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 2, "…"), "ab");
  EXPECT_EQ(ShortenMiddle("abc", 0, "…"), "");
  EXPECT_EQ(ShortenMiddle("重重重重", 6, "…"), "重…重");  // 5: there is no half of a character
  EXPECT_EQ(ShortenStart("layer.1/output/Add", 8, "…"), "…put/Add");
  EXPECT_EQ(ShortenStart("layer.1/output/Add", 1, "…"), "d");
  EXPECT_EQ(ShortenStart("Add", 3, "…"), "Add");
  EXPECT_EQ(ShortenEnd("LayerNormalization", 8, "…"), "LayerNo…");
  EXPECT_EQ(ShortenEnd("LayerNormalization", 1, "…"), "L");
  EXPECT_EQ(ShortenEnd("重重", 3, "…"), "重…");
}

TEST(PadTest, CountsColumns) {
  EXPECT_EQ(PadRight("重", 4), "重  ");
  EXPECT_EQ(PadLeft("≈", 3), "  ≈");
  EXPECT_EQ(PadLeft("long", 2), "long");
}

TEST(WrapTextTest, AtSpaces) {
  EXPECT_THAT(WrapText("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(WrapText("a_long_name b", 4), ElementsAre("a_long_name", "b"));
  EXPECT_THAT(WrapText("", 4), ElementsAre(""));
  EXPECT_THAT(WrapText("a 2\u00A0×\u00A0b", 6), ElementsAre("a", "2 × b"));
}

}  // namespace
}  // namespace onnxcmp

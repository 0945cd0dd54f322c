#include "record/text/distinct_names.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ResultOf;

TEST(ShortenApartTest, NamesThatFitStay) {
  EXPECT_THAT(ShortenApart({"a/b", "", "a/c"}, 3, "…"), ElementsAre("a/b", "", "a/c"));
}

TEST(ShortenApartTest, WhatAllShareIsCutInFrontAndBehind) {
  EXPECT_THAT(ShortenApart(
                  {"/bert/layer.0/query/MatMul_output_0", "/bert/layer.0/key/MatMul_output_0", "x"},
                  10, "…"),
              ElementsAre("….0/query…", "…er.0/key…", "x"));
  // Where there is room for it, what is shared stays.
  EXPECT_THAT(ShortenApart({"/bert/layer.0/query/MatMul", "/bert/layer.0/key/MatMul"}, 20, "…"),
              ElementsAre("…ayer.0/query/MatMul", "…/layer.0/key/MatMul"));
}

// By their ends, or by their beginnings, all four would read alike.
TEST(ShortenApartTest, WhatTellsNamesApartStaysWhereverItIs) {
  const std::vector<std::string> names = {"encoder_block_one_projection_weight_quantized",
                                          "encoder_block_two_projection_weight_quantized",
                                          "encoder_block_six_projection_weight_quantized",
                                          "encoder_block_ten_projection_weight_quantized"};
  for (const int width : {9, 12, 20, 30}) {
    const std::vector<std::string> shown = ShortenApart(names, width, "…");
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), names.size()) << width;
    EXPECT_THAT(shown, Each(ResultOf([](const std::string& name) { return DisplayWidth(name); },
                                     ::testing::Le(width))));
  }
}

TEST(ShortenApartTest, StartMiddleOrEnd) {
  EXPECT_THAT(ShortenApart({"abcdefgh1", "abcdefgh2"}, 4, "…"), ElementsAre("…gh1", "…gh2"));
  EXPECT_THAT(ShortenApart({"1abcdefgh", "2abcdefgh"}, 4, "…"), ElementsAre("1…gh", "2…gh"));
  EXPECT_THAT(ShortenApart({"a1bcdefghijk", "a2bcdefghijk"}, 3, ".."), ElementsAre("a1b", "a2b"));
}

TEST(ShortenApartTest, CharactersStayWhole) {
  EXPECT_THAT(ShortenApart({"größe_größe_1", "größe_größe_2"}, 6, "…"),
              ElementsAre("…öße_1", "…öße_2"));
}

}  // namespace
}  // namespace onnxcmp

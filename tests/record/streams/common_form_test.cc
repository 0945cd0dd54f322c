#include "record/streams/common_form.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

TEST(CommonForm, SignedIntegersAsUnsignedOnes) {
  const Value own = Tensor::Of<int8_t>({2, 2}, {-128, -1, 0, 127});
  const absl::StatusOr<Value> form = InForm(own, {.other_sign = true});
  ASSERT_TRUE(form.ok()) << form.status();
  ASSERT_EQ(form->tensor().dtype(), DType::kUint8);
  const auto* numbers = reinterpret_cast<const uint8_t*>(form->tensor().raw_data());
  EXPECT_THAT(std::vector<int>(numbers, numbers + 4), ElementsAre(0, 127, 128, 255));
  const absl::StatusOr<Value> back = FromForm(*form, {.other_sign = true});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(ContentOf(*back), ContentOf(own));
}

TEST(CommonForm, WordsAreHalfTheirRangeAway) {
  const absl::StatusOr<Value> form =
      InForm(Tensor::Of<int16_t>({3}, {-32768, 0, 5}), {.other_sign = true});
  ASSERT_TRUE(form.ok()) << form.status();
  const auto* numbers = reinterpret_cast<const uint16_t*>(form->tensor().raw_data());
  EXPECT_THAT(std::vector<int>(numbers, numbers + 3), ElementsAre(0, 32768, 32773));
}

TEST(CommonForm, ChannelsFirst) {
  // Two pixels of three channels in each of two images.
  const Value own = Tensor::Of<uint8_t>({2, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const absl::StatusOr<Value> form = InForm(own, {.channels_first = true});
  ASSERT_TRUE(form.ok()) << form.status();
  EXPECT_EQ(form->tensor().shape(), (Shape{2, 3, 1, 2}));
  const auto* numbers = reinterpret_cast<const uint8_t*>(form->tensor().raw_data());
  EXPECT_THAT(std::vector<int>(numbers, numbers + 12),
              ElementsAre(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11));
  const absl::StatusOr<Value> back = FromForm(*form, {.channels_first = true});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(ContentOf(*back), ContentOf(own));
}

TEST(CommonForm, WhatHasNoSuchFormIsAnError) {
  EXPECT_FALSE(InForm(Tensor::Of<float>({1}, {1}), {.other_sign = true}).ok());
  EXPECT_FALSE(InForm(Tensor::Of<float>({1, 1}, {1}), {.channels_first = true}).ok());
}

}  // namespace
}  // namespace onnxcmp

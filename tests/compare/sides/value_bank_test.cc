#include "compare/sides/value_bank.h"

#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

Tensor CountUp(int64_t count) {
  return Tensor::Of<float>({count}, std::vector<float>(static_cast<size_t>(count), 1.0f));
}

TEST(ValueBankTest, KeepsWhatFits) {
  ValueBank bank(100);
  EXPECT_TRUE(bank.Keep(1, CountUp(20)));
  EXPECT_FALSE(bank.Keep(2, CountUp(10)));
  EXPECT_TRUE(bank.Keep(3, CountUp(5)));
  EXPECT_EQ(bank.bytes(), 100);
  EXPECT_NE(bank.Find(1), nullptr);
  EXPECT_EQ(bank.Find(2), nullptr);
  bank.Drop(1);
  bank.Drop(2);
  EXPECT_EQ(bank.bytes(), 20);
  EXPECT_EQ(bank.Find(1), nullptr);
  EXPECT_TRUE(bank.Keep(2, CountUp(10)));
  bank.Clear();
  EXPECT_EQ(bank.bytes(), 0);
  EXPECT_EQ(bank.Find(3), nullptr);
}

TEST(ValueBankTest, CountsABufferOnce) {
  ValueBank bank(80);
  const Tensor whole = CountUp(20);
  EXPECT_TRUE(bank.Keep(1, whole));
  EXPECT_TRUE(bank.Keep(2, whole.Reshaped({4, 5})));
  EXPECT_EQ(bank.bytes(), 80);
  bank.Drop(1);
  EXPECT_EQ(bank.bytes(), 80);
  bank.Drop(2);
  EXPECT_EQ(bank.bytes(), 0);
}

TEST(ValueBankTest, WhatIsInMemoryAnywayIsFree) {
  ValueBank bank(0);
  EXPECT_TRUE(bank.Keep(1, CountUp(20), /*free=*/true));
  EXPECT_EQ(bank.bytes(), 0);
  EXPECT_NE(bank.Find(1), nullptr);
  EXPECT_FALSE(bank.Keep(2, CountUp(1)));
}

TEST(ValueBankTest, CountsWhatIsInsideOfValues) {
  Sequence sequence;
  sequence.elements = {CountUp(2), CountUp(3)};
  EXPECT_EQ(BytesHeldBy(sequence), 20);
  Optional optional;
  optional.element = std::make_shared<const Value>(sequence);
  EXPECT_EQ(BytesHeldBy(optional), 20);
  EXPECT_EQ(BytesHeldBy(Value()), 0);
  EXPECT_GT(BytesHeldBy(Tensor::Of<std::string>({1}, {"text"})), 4);
}

}  // namespace
}  // namespace onnxcmp

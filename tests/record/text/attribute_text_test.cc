// Attributes against each other: all elements are looked at, and numbers compared as such.
#include "record/text/attribute_text.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

std::vector<float> Floats(int count) {
  std::vector<float> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(0.5f * static_cast<float>(i));
  return numbers;
}

TEST(AttributeDifferenceText, OfNumbersAndShortLists) {
  EXPECT_EQ(AttributeDifferenceText(1e-5f, 0.01f), "1e-05 | 0.01");
  EXPECT_EQ(AttributeDifferenceText(1e-5f, 1e-5f), "");
  // As many digits as tell them apart.
  EXPECT_EQ(AttributeDifferenceText(1.0f, 1.0000001f), "1 | 1.00000012");
  EXPECT_EQ(AttributeDifferenceText(std::vector<int64_t>{1, 1}, std::vector<int64_t>{2, 2}),
            "[1,1] | [2,2]");
  EXPECT_EQ(AttributeDifferenceText(std::string("max"), std::string("min")), "\"max\" | \"min\"");
}

TEST(AttributeDifferenceText, WhatDiffersLateInAList) {
  std::vector<float> other = Floats(20);
  EXPECT_EQ(AttributeDifferenceText(Floats(20), other), "");
  other[17] += 0.25f;
  EXPECT_EQ(AttributeDifferenceText(Floats(20), other),
            "1 of 20 elements differs, [17] 8.5 | 8.75");
  for (float& number : other) number += 1;
  EXPECT_EQ(AttributeDifferenceText(Floats(20), other),
            "20 of 20 elements differ, [0] 0 | 1, [1] 0.5 | 1.5, [2] 1 | 2, ...");
  EXPECT_EQ(AttributeDifferenceText(Floats(20), Floats(19)), "20 | 19 elements");
  other = Floats(19);
  other[3] = 7;
  EXPECT_EQ(AttributeDifferenceText(Floats(20), other),
            "20 | 19 elements, of the first 19 1 differs, [3] 1.5 | 7");
  const int64_t great = int64_t{1} << 60;
  EXPECT_EQ(
      AttributeDifferenceText(std::vector<int64_t>(9, great), std::vector<int64_t>(9, great + 1))
          .substr(0, 24),
      "9 of 9 elements differ, ");
  EXPECT_EQ(
      AttributeDifferenceText(std::vector<std::string>(12, "a"), std::vector<std::string>(12, "a")),
      "");
}

TEST(AttributeDifferenceText, TensorsByTheirNumbers) {
  const std::vector<float> numbers = {0.1f, 0.2f, 3};
  const std::vector<double> same = {0.1f, 0.2f, 3};
  EXPECT_EQ(AttributeDifferenceText(numbers, Tensor::Of<double>({3}, same)), "");
  EXPECT_EQ(AttributeDifferenceText(numbers, Tensor::Of<double>({3}, {0.1f, 0.2, 3})),
            "1 of 3 elements differs, [1] 0.200000003 | 0.2");
  EXPECT_EQ(AttributeDifferenceText(Tensor::Of<std::string>({2}, {"a", "b"}),
                                    Tensor::Of<std::string>({2}, {"a", "c"})),
            "1 of 2 elements differs, [1] \"b\" | \"c\"");
}

TEST(AttributeDifferenceText, OfTwoNodes) {
  Node left;
  Node right;
  EXPECT_EQ(AttributeDifferenceText(left, right, "alpha"), "");
  left.attributes["alpha"] = 0.5f;
  EXPECT_EQ(AttributeDifferenceText(left, right, "alpha"), "0.5 | not given");
  right.attributes["alpha"] = 0.5f;
  EXPECT_EQ(AttributeDifferenceText(left, right, "alpha"), "");
}

}  // namespace
}  // namespace onnxcmp

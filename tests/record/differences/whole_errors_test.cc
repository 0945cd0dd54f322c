#include "record/differences/whole_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::testing::HasSubstr;

constexpr Tolerance kHalf = {1e-2, 0, 2e-2, 4e-3, 1e-3};

Tensor Changed(const Tensor& x, const std::function<float(int64_t, float)>& change) {
  std::vector<float> numbers(x.AsSpan<float>().begin(), x.AsSpan<float>().end());
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = change(static_cast<int64_t>(i), numbers[i]);
  }
  return Tensor::Of<float>(x.shape(), numbers);
}

// Signs that no stride meets.
float Sign(int64_t i) {
  return (static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15 >> 40 & 1) != 0 ? 1 : -1;
}

WholeErrors Errors(const Tensor& a, const Tensor& b, const Tolerance& tolerance = kHalf) {
  return WholeErrorsOf(a, b, tolerance, /*scale=*/0.5, /*parts=*/true, nullptr);
}

TEST(WholeErrorsTest, RoundingAgrees) {
  const Tensor x = RandomFloats({8, 40}, 1);
  const WholeErrors errors =
      Errors(x, Changed(x, [](int64_t i, float v) { return v * (1 + 2e-3f * Sign(i)); }));
  EXPECT_EQ(errors.fault, "");
  EXPECT_NEAR(errors.apart, 2e-3, 1e-5);
  EXPECT_EQ(Errors(x, x).apart, 0);
}

TEST(WholeErrorsTest, ManySmallErrorsAreTooMuchTogether) {
  const Tensor x = RandomFloats({8, 40}, 1);
  EXPECT_THAT(
      Errors(x, Changed(x, [](int64_t i, float v) { return v * (1 + 9e-3f * Sign(i)); })).fault,
      HasSubstr("on the whole they are 0.009 of their size apart"));
  // Of the order of the values, whatever elements may be.
  Tolerance wide = kHalf;
  wide.whole = 0.3;
  EXPECT_NE(Errors(x, Changed(x, [](int64_t, float) { return 0.0f; }), wide).fault, "");
}

// Boxes in pixels and scores from 0 to 1, as a detector gives them.
Tensor Detections() {
  return Changed(RandomFloats({5, 64}, 1),
                 [](int64_t i, float v) { return i < 256 ? 300 + 100 * v : 0.2f / (1 + v * v); });
}

TEST(WholeErrorsTest, SlicesOfOtherQuantitiesHaveScalesOfTheirOwn) {
  const Tensor x = Detections();
  const Tolerance bytes = ToleranceOfQuantized(DType::kUint8);
  const auto fault = [&](const std::function<float(int64_t, float)>& score) {
    const Tensor y =
        Changed(x, [&](int64_t i, float v) { return i < 256 ? v + 2 * Sign(i) : score(i, v); });
    return WholeErrorsOf(x, y, bytes, 300, /*parts=*/true, nullptr).fault;
  };
  EXPECT_EQ(fault([](int64_t i, float v) { return v + 0.004f * Sign(i); }), "");
  EXPECT_THAT(fault([](int64_t, float) { return 0.0f; }),
              HasSubstr("in index 4 of axis 0 all of the right are 0"));
  EXPECT_THAT(fault([](int64_t, float) { return 0.1f; }), HasSubstr("in index 4 of axis 0"));
  EXPECT_THAT(fault([](int64_t, float v) { return 5 * v; }), HasSubstr("in index 4 of axis 0"));
  EXPECT_THAT(fault([](int64_t, float v) { return -v; }), HasSubstr("in index 4 of axis 0"));
}

// A Relu makes 0 of one sum and a last place of the other.
TEST(WholeErrorsTest, ASliceOfRoundingErrorsIsNotLost) {
  const Tensor x = Changed(RandomFloats({4, 64}, 1), [](int64_t i, float v) {
    return i < 64 ? std::max(1e-8f * v, 0.0f) : v;
  });
  const Tensor y = Changed(x, [](int64_t i, float v) { return i < 64 ? 0.0f : v; });
  EXPECT_EQ(WholeErrorsOf(x, y, DefaultTolerance(DType::kFloat), 1, true, nullptr).fault, "");
}

// What Relu leaves of a column: a few small numbers, which rounding may take away.
TEST(WholeErrorsTest, ASliceOfFewNumbersIsNoSlice) {
  const Tolerance bytes = ToleranceOfQuantized(DType::kUint8);
  // Column 3 has numbers in every `stride`th row alone.
  const auto output = [](int64_t stride, float size) {
    return Changed(RandomFloats({64, 20}, 1), [=](int64_t i, float v) {
      if (i % 20 != 3) return std::max(v, 0.0f);
      return i / 20 % stride == 0 ? size * (1 + std::abs(v)) : 0.0f;
    });
  };
  const auto fault = [&](const Tensor& x) {
    const Tensor y = Changed(x, [](int64_t i, float v) { return i % 20 == 3 ? 0.0f : v; });
    return WholeErrorsOf(x, y, bytes, 0.5, /*parts=*/true, nullptr).fault;
  };
  EXPECT_EQ(fault(output(8, 0.03f)), "");
  EXPECT_THAT(fault(output(2, 0.2f)), HasSubstr("in index 3 of axis 1 all of the right are 0"));
  // As many zeros on one side alone are no zeros.
  const Tensor full = output(1, 0.15f);
  EXPECT_THAT(fault(full), HasSubstr("in index 3 of axis 1 all of the right are 0"));
}

TEST(WholeErrorsTest, AnOffsetExcusesNothing) {
  const Tensor x = Changed(RandomFloats({8, 40}, 1), [](int64_t, float v) { return 20 + v; });
  const Tolerance bytes = ToleranceOfQuantized(DType::kUint8);
  const auto fault = [&](float factor) {
    const Tensor y = Changed(x, [&](int64_t, float v) { return 20 + factor * (v - 20); });
    return WholeErrorsOf(x, y, bytes, 20, /*parts=*/true, nullptr).fault;
  };
  EXPECT_EQ(fault(0.97f), "");
  EXPECT_NE(fault(0.6f), "");
  EXPECT_NE(fault(1.3f), "");
  EXPECT_NE(fault(-1), "");
  EXPECT_NE(fault(0), "");
}

TEST(WholeErrorsTest, AnErrorThatAllElementsHaveInCommonIsNoRounding) {
  const Tensor x = RandomFloats({8, 40}, 1);
  const Tensor scaled = Changed(x, [](int64_t, float v) { return v * 1.003f; });
  EXPECT_THAT(Errors(x, scaled).fault, HasSubstr("a factor of 1.003 in common"));
  EXPECT_THAT(Errors(x, Changed(x, [](int64_t, float v) { return v + 1.5e-3f; })).fault,
              HasSubstr("an offset of 0.0015 in common"));
  // Nearly nothing else is left, small as it is.
  EXPECT_THAT(Errors(x, Changed(x, [](int64_t, float v) { return v * 1.0015f; })).fault,
              HasSubstr("a factor"));
  // As a constant that all are multiplied by is rounded.
  EXPECT_EQ(Errors(x, Changed(x, [](int64_t, float v) { return v * 1.0003f; })).fault, "");
  Tolerance told = kHalf;
  told.systematic = Tolerance().systematic;
  EXPECT_EQ(Errors(x, scaled, told).fault, "");
}

TEST(WholeErrorsTest, APartThatIsLostIsToldOf) {
  const Tensor x = Changed(RandomFloats({6, 20, 32}, 2), [](int64_t i, float v) {
    // Index 3 of axis 1 is a hundredth as large.
    return i / 32 % 20 == 3 ? v * 0.01f : v;
  });
  const Tensor lost = Changed(x, [](int64_t i, float v) { return i / 32 % 20 == 3 ? 0.0f : v; });
  EXPECT_THAT(Errors(x, lost).fault, HasSubstr("in index 3 of axis 1 all of the right are 0"));
  EXPECT_EQ(WholeErrorsOf(x, lost, kHalf, 0.5, /*parts=*/false, nullptr).fault, "");
  // A column of many.
  const Tensor wide = RandomFloats({40, 50}, 5);
  const Tensor column =
      Changed(wide, [](int64_t i, float v) { return i % 50 == 2 ? v + 0.7f * Sign(i) : v; });
  EXPECT_THAT(Errors(wide, column, {1, 0, 1, 0.1}).fault,
              HasSubstr("in index 2 of axis 1 they are"));
  const Tensor row =
      Changed(x, [](int64_t i, float v) { return i / 32 == 43 ? v + 5e-4f * Sign(i) : v; });
  EXPECT_THAT(Errors(x, row).fault, HasSubstr("in row [2,3] they are"));
}

TEST(WholeErrorsTest, HugeElementsHideNothing) {
  const Tensor x =
      Changed(RandomFloats({200}, 3), [](int64_t i, float v) { return i == 7 ? -3e38f : v; });
  const Tensor other = Changed(x, [](int64_t i, float v) { return i == 7 ? v : v * 1.05f; });
  EXPECT_THAT(Errors(x, other).fault, HasSubstr("on the whole they are 0.05"));
}

// One element may be five times as far apart as many.
TEST(WholeErrorsTest, FewElementsScatter) {
  const auto agrees = [](float b) {
    return Errors(Tensor::Of<float>({1}, {1}), Tensor::Of<float>({1}, {b})).fault.empty();
  };
  EXPECT_TRUE(agrees(1.019f));
  EXPECT_FALSE(agrees(1.021f));
}

// Quantized integers are seen against their deviation: the zero point may be anywhere.
TEST(WholeErrorsTest, IntegersAreSeenAgainstTheirDeviation) {
  std::vector<uint8_t> a;
  for (int i = 0; i < 400; ++i) a.push_back(static_cast<uint8_t>(128 + i * 37 % 41 - 20));
  std::vector<uint8_t> b = a;
  for (size_t i = 0; i < b.size(); i += 5) ++b[i];
  const Tensor x = Tensor::Of<uint8_t>({400}, a);
  const Tolerance bytes = {0, 0, 0.1, 0.1};
  EXPECT_EQ(WholeErrorsOf(x, Tensor::Of<uint8_t>({400}, b), bytes, 10, true, nullptr).fault, "");
  for (uint8_t& number : b) number = static_cast<uint8_t>(128 - (number - 128));
  EXPECT_NE(WholeErrorsOf(x, Tensor::Of<uint8_t>({400}, b), bytes, 10, true, nullptr).fault, "");
}

// What is within the user's absolute tolerance counts for nothing.
TEST(WholeErrorsTest, WhatIsWithinTheAbsoluteToleranceCountsForNothing) {
  const Tensor x = RandomFloats({64}, 4);
  const Tensor other = Changed(x, [](int64_t i, float v) { return v + 0.1f * Sign(i); });
  EXPECT_EQ(Errors(x, other, {0, 0.11, 0, 1e-4}).fault, "");
  EXPECT_NE(Errors(x, other, {0, 0.05, 0, 1e-4}).fault, "");
}

}  // namespace
}  // namespace onnxcmp

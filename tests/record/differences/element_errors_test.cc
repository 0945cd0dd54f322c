#include "record/differences/element_errors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/base/thread_pool.h"
#include "record/differences/whole_errors.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;

struct FloatPair {
  std::vector<float> a, b;

  int64_t size() const { return static_cast<int64_t>(a.size()); }
  Tensor left() const { return Tensor::Of<float>({size()}, a); }
  Tensor right() const { return Tensor::Of<float>({size()}, b); }
};

// Errors of many sizes, zeros, equal elements, and some that hardly are numbers.
FloatPair MixedFloats(int64_t size) {
  const Tensor values = RandomFloats({size}, 1);
  const Tensor noise = RandomFloats({size}, 2);
  FloatPair pair;
  for (int64_t i = 0; i < size; ++i) {
    const auto k = static_cast<size_t>(i);
    const float size = i % 5 == 0 ? 0.0F : i % 11 == 0 ? 1e-40F : 1.0F;
    const float error = i % 7 == 0 ? 0 : noise.AsSpan<float>()[k] * std::pow(10.0F, -(i % 6));
    pair.a.push_back(size * values.AsSpan<float>()[k]);
    pair.b.push_back(pair.a.back() * (1 + error));
  }
  return pair;
}

int64_t Steps(float a, float b) {
  const auto place = [](float v) {
    const auto magnitude = std::bit_cast<int32_t>(std::abs(v));
    return std::signbit(v) ? -int64_t{magnitude} : int64_t{magnitude};
  };
  return std::abs(place(a) - place(b));
}

// One after the other, as the header has it.
ElementErrors Naive(const FloatPair& pair, const ErrorRules& rules) {
  ElementErrors sums;
  for (size_t i = 0; i < pair.a.size(); ++i) {
    const double a = pair.a[i];
    const double b = pair.b[i];
    if (std::isfinite(a)) {
      sums.min = std::min(sums.min, a);
      sums.max = std::max(sums.max, a);
      sums.greatest = std::max(sums.greatest, std::abs(a));
    }
    if (std::isfinite(b)) sums.greatest = std::max(sums.greatest, std::abs(b));
    sums.nan_left += std::isnan(a) ? 1 : 0;
    sums.nan_right += std::isnan(b) ? 1 : 0;
    sums.infinite_left += std::isinf(a) ? 1 : 0;
    sums.infinite_right += std::isinf(b) ? 1 : 0;
    const bool finite = std::isfinite(a) && std::isfinite(b);
    const bool same = a == b || (std::isnan(a) && std::isnan(b));
    const double d = same ? 0 : finite ? std::abs(a - b) : testing::kInf;
    const double magnitude = std::max(std::abs(a), std::abs(b));
    const double relative = d == 0 ? 0 : finite ? d / magnitude : testing::kInf;
    if (finite) {
      ++sums.compared;
      sums.absolutes += d;
      sums.relatives += relative;
      sums.squares += d * d;
      sums.left_squares += a * a;
      sums.right_squares += b * b;
      sums.products += a * b;
      sums.max_ulp = std::max(sums.max_ulp, static_cast<double>(Steps(pair.a[i], pair.b[i])));
    }
    sums.beyond += d > rules.tolerance.atol + rules.tolerance.rtol * (finite ? magnitude : 0);
    sums.beyond_tenth += relative > 0.1;
    sums.beyond_hundredth += relative > 0.01;
    sums.beyond_thousandth += relative > 0.001;
    if (d > 0) sums.Note({static_cast<int64_t>(i), d, relative}, rules);
  }
  return sums;
}

void ExpectLike(double sum, double wanted) { EXPECT_NEAR(sum, wanted, 1e-12 * std::abs(wanted)); }

void ExpectLike(const ElementErrors& errors, const ElementErrors& wanted) {
  EXPECT_EQ(errors.compared, wanted.compared);
  EXPECT_EQ(errors.beyond, wanted.beyond);
  EXPECT_EQ(errors.beyond_tenth, wanted.beyond_tenth);
  EXPECT_EQ(errors.beyond_hundredth, wanted.beyond_hundredth);
  EXPECT_EQ(errors.beyond_thousandth, wanted.beyond_thousandth);
  EXPECT_EQ(errors.nan_left, wanted.nan_left);
  EXPECT_EQ(errors.nan_right, wanted.nan_right);
  EXPECT_EQ(errors.infinite_left, wanted.infinite_left);
  EXPECT_EQ(errors.infinite_right, wanted.infinite_right);
  EXPECT_EQ(errors.min, wanted.min);
  EXPECT_EQ(errors.max, wanted.max);
  EXPECT_EQ(errors.greatest, wanted.greatest);
  EXPECT_EQ(errors.worst_relative.index, wanted.worst_relative.index);
  EXPECT_EQ(errors.worst_relative.relative, wanted.worst_relative.relative);
  ASSERT_EQ(errors.worst.size(), wanted.worst.size());
  for (size_t i = 0; i < wanted.worst.size(); ++i) {
    EXPECT_EQ(errors.worst[i].index, wanted.worst[i].index);
    EXPECT_EQ(errors.worst[i].absolute, wanted.worst[i].absolute);
    EXPECT_EQ(errors.worst[i].relative, wanted.worst[i].relative);
  }
  ExpectLike(errors.absolutes, wanted.absolutes);
  ExpectLike(errors.relatives, wanted.relatives);
  ExpectLike(errors.squares, wanted.squares);
  ExpectLike(errors.left_squares, wanted.left_squares);
  ExpectLike(errors.right_squares, wanted.right_squares);
  ExpectLike(errors.products, wanted.products);
}

Tensor AsDoubles(const std::vector<float>& numbers) {
  return Tensor::Of<double>({static_cast<int64_t>(numbers.size())},
                            std::vector<double>(numbers.begin(), numbers.end()));
}

ErrorRules WithinThousandth() {
  ErrorRules rules;
  rules.tolerance.rtol = 1e-3;
  rules.tolerance.atol = 1e-3;
  return rules;
}

// Sizes that end beside registers, strips and pieces.
constexpr int64_t kSizes[] = {0, 1, 7, 8, 13, 1023, 1027, 65536, 65545, 150003};

TEST(ElementErrorsTest, AsOneAfterTheOther) {
  const ThreadPool pool(2);
  for (const int64_t size : kSizes) {
    SCOPED_TRACE(size);
    const FloatPair pair = MixedFloats(size);
    const ErrorRules rules = WithinThousandth();
    const ElementErrors wanted = Naive(pair, rules);
    const ElementErrors errors = ErrorsOf(pair.left(), pair.right(), rules, nullptr);
    ExpectLike(errors, wanted);
    EXPECT_EQ(errors.max_ulp, wanted.max_ulp);
    ExpectLike(ErrorsOf(AsDoubles(pair.a), AsDoubles(pair.b), rules, nullptr), wanted);
    const ElementErrors shared = ErrorsOf(pair.left(), pair.right(), rules, &pool);
    EXPECT_EQ(shared.squares, errors.squares);
    EXPECT_EQ(shared.relatives, errors.relatives);
    ExpectLike(shared, wanted);
  }
}

TEST(ElementErrorsTest, AStripWithWhatIsNotFinite) {
  const ThreadPool pool(2);
  FloatPair pair = MixedFloats(140001);
  const float odd[] = {testing::kNaN, testing::kInf, -testing::kInf,
                       std::numeric_limits<float>::max()};
  for (size_t i = 0; i < 4; ++i) {
    pair.a[2000 + 3 * i] = odd[i];
    pair.b[100000 + 3 * i] = odd[i];
    pair.a[140000 - i] = pair.b[140000 - i] = odd[i];
  }
  const ErrorRules rules = WithinThousandth();
  const ElementErrors wanted = Naive(pair, rules);
  for (const ThreadPool* threads : {static_cast<const ThreadPool*>(nullptr), &pool}) {
    const ElementErrors errors = ErrorsOf(pair.left(), pair.right(), rules, threads);
    ExpectLike(errors, wanted);
    EXPECT_EQ(errors.max_ulp, wanted.max_ulp);
    EXPECT_EQ(errors.both_nan, 1);
    EXPECT_EQ(errors.non_finite_disagree, 6);
  }
}

// The factor is such that nothing is beyond, and some is beyond `atol`, if that is not 0.
TEST(ElementErrorsTest, TotalsAreThoseOfThePassOnItsOwn) {
  for (const int64_t size : kSizes) {
    for (const double atol : {0.0, 1e-4}) {
      for (const double scale : {1.0, 5e-4, 0.0}) {
        SCOPED_TRACE(::testing::Message() << size << ' ' << atol << ' ' << scale);
        FloatPair pair = MixedFloats(size);
        for (size_t i = 0; i < pair.a.size(); ++i) {
          pair.b[i] = pair.a[i] * (1 + 1e-3F * static_cast<float>(i % 3));
        }
        if (size > 1000) pair.a[900] = pair.b[900] = testing::kNaN;
        ErrorRules rules;
        rules.tolerance.rtol = 1e-2;
        rules.counting = CountingOf(pair.left(), pair.right(), {.atol = atol}, scale);
        ASSERT_TRUE(rules.counting.has_value());
        const PairMoments wanted =
            MomentsOfStrip(pair.a.data(), pair.b.data(), pair.size(), *rules.counting);
        for (const bool wide : {false, true}) {
          const ElementErrors errors =
              wide ? ErrorsOf(AsDoubles(pair.a), AsDoubles(pair.b), rules, nullptr)
                   : ErrorsOf(pair.left(), pair.right(), rules, nullptr);
          ASSERT_EQ(errors.beyond, 0);
          EXPECT_EQ(errors.totals.sums.count, wanted.sums.count);
          ExpectLike(errors.totals.sums.differences, wanted.sums.differences);
          ExpectLike(errors.totals.sums.left, wanted.sums.left);
          ExpectLike(errors.totals.sums.right, wanted.sums.right);
          ExpectLike(errors.totals.products, wanted.products);
          // Of both signs.
          EXPECT_NEAR(errors.totals.difference, wanted.difference, 1e-9);
          EXPECT_NEAR(errors.totals.left, wanted.left, 1e-9);
        }
      }
    }
  }
}

// What counts is counted; integers and complex numbers are looked at on their own.
TEST(ElementErrorsTest, WhatTotalsCount) {
  const std::vector<float> a = {1, -2, 3, 4000, 5, 6, 7, 8, 9};
  const std::vector<float> b = {1, -2.5F, 3.5F, 4000, 5, 6, 7, 8, 9.125F};
  const PairMoments totals =
      MomentsOfStrip(a.data(), b.data(), 9, {.limit = 1000, .atol = 0.25, .center = 0});
  EXPECT_EQ(totals.sums.count, 8);
  EXPECT_EQ(totals.sums.differences, 0.125);
  EXPECT_EQ(totals.sums.left, 1 + 4 + 9 + 25 + 36 + 49 + 64 + 81);
  EXPECT_EQ(totals.difference, 0);
  EXPECT_EQ(totals.left, 37);
  const Tensor floats = Tensor::Of<float>({2}, {1, 2});
  EXPECT_FALSE(CountingOf(Tensor::Of<int8_t>({2}, {1, 2}), floats, {}, 1).has_value());
  EXPECT_FALSE(CountingOf(floats, Tensor::Of<std::complex<float>>({2}, {1, 2}), {}, 1).has_value());
}

}  // namespace
}  // namespace onnxcmp

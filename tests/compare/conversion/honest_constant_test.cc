// Constants as converters round them, and constants that no converter would make.
#include "compare/conversion/honest_constant.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/algorithm/container.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_distance.h"
#include "tests/support/op_test.h"

namespace onnxcmp {

void PrintTo(ConstantRounding rounding, std::ostream* os) {
  constexpr const char* kNames[] = {"kHonest", "kClamped", "kWrong"};
  *os << kNames[static_cast<size_t>(rounding)];
}

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

Tensor NumbersIn(DType dtype, const std::vector<double>& numbers) {
  return testing::Convert(Tensor::Of<double>({static_cast<int64_t>(numbers.size())}, numbers),
                          dtype);
}

// The elements of float16 or bfloat16.
uint16_t* BitsIn(Tensor* tensor) { return reinterpret_cast<uint16_t*>(tensor->mutable_raw_data()); }

// The number of a type whose bits are by so many greater: so many last places away from 0.
double PlacesOn(DType dtype, double number, int places) {
  Tensor tensor = NumbersIn(dtype, {number});
  *BitsIn(&tensor) = static_cast<uint16_t>(*BitsIn(&tensor) + places);
  return ElementsOf(tensor)[0];
}

ConstantRounding RoundingAs(const std::vector<double>& plain, DType dtype,
                            const std::vector<double>& converted) {
  return RoundingOf(NumbersIn(DType::kFloat, plain), NumbersIn(dtype, converted), nullptr);
}

std::vector<double> Patterned(int64_t size, float scale) {
  return ElementsOf(testing::Pattern({size}, 37, 101, scale));
}

TEST(HonestConstant, TheNearestNumberIsHonest) {
  // Sizes of numbers, some below the least normal number of float16.
  for (const float scale : {1e-6F, 1e-4F, 1.0F, 1000.0F}) {
    const Tensor plain = testing::Pattern({101}, 37, 101, scale);
    for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
      EXPECT_EQ(RoundingOf(plain, testing::Convert(plain, dtype), nullptr),
                ConstantRounding::kHonest)
          << scale << " " << DTypeName(dtype);
    }
  }
}

TEST(HonestConstant, OneLastPlaceMoreIsWrong) {
  const std::vector<double> plain = Patterned(101, 100);
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    for (const int places : {1, -1}) {
      // Numbers just above a power of two, of which a last place is the greatest part.
      EXPECT_EQ(RoundingAs({1.0625, 4}, dtype, {1.0625, PlacesOn(dtype, 4, places)}),
                places == 1 ? ConstantRounding::kWrong : ConstantRounding::kHonest)
          << DTypeName(dtype);
      std::vector<double> converted;
      for (const double number : plain) {
        converted.push_back(number == 0 ? 0 : PlacesOn(dtype, number, places));
      }
      EXPECT_EQ(RoundingAs(plain, dtype, converted), ConstantRounding::kWrong) << DTypeName(dtype);
    }
  }
}

TEST(HonestConstant, OneOfManyNumbersIsEnough) {
  const ThreadPool pool(3);
  const Tensor plain = testing::Pattern({300, 1000}, 37, 101, 8);
  const Tensor honest = testing::AsHalf(plain);
  EXPECT_EQ(RoundingOf(plain, honest, &pool), ConstantRounding::kHonest);
  for (const int64_t at : {int64_t{0}, int64_t{131'071}, int64_t{299'999}}) {
    Tensor converted = testing::AsHalf(plain);
    // The sign.
    BitsIn(&converted)[at] ^= 0x8000;
    EXPECT_EQ(RoundingOf(plain, converted, &pool), ConstantRounding::kWrong) << at;
  }
}

// Converters write the least number that float16 has, or 1e-7, so that nothing divides by 0.
TEST(HonestConstant, ANumberThatIsNearlyZeroIsClamped) {
  EXPECT_EQ(RoundingAs({1e-12}, DType::kFloat16, {0}), ConstantRounding::kHonest);
  for (const double written : {6e-8, 1e-7}) {
    EXPECT_EQ(RoundingAs({1e-12}, DType::kFloat16, {written}), ConstantRounding::kClamped)
        << written;
    EXPECT_EQ(RoundingAs({-1e-12, 1}, DType::kFloat16, {-written, 1}), ConstantRounding::kClamped)
        << written;
    // Bfloat16 needs none.
    EXPECT_EQ(RoundingAs({1e-12}, DType::kBfloat16, {written}), ConstantRounding::kWrong)
        << written;
  }
  EXPECT_EQ(RoundingAs({1e-12}, DType::kFloat16, {1e-5}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingAs({1e-12}, DType::kFloat16, {-1e-7}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingAs({1e-5}, DType::kFloat16, {1e-7}), ConstantRounding::kWrong);
}

TEST(HonestConstant, ANumberBeyondTheGreatestIsClamped) {
  for (const double written : {65504.0, 1e4, kEndless}) {
    Tensor converted = NumbersIn(DType::kFloat16, {written});
    if (std::isinf(written)) BitsIn(&converted)[0] = 0x7C00;
    EXPECT_EQ(RoundingOf(NumbersIn(DType::kFloat, {1e9}), converted, nullptr),
              ConstantRounding::kClamped)
        << written;
  }
  EXPECT_EQ(RoundingAs({1e9}, DType::kFloat16, {100}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingAs({1e9}, DType::kFloat16, {-65504}), ConstantRounding::kWrong);
  // A number that it can hold.
  EXPECT_EQ(RoundingAs({6e4}, DType::kFloat16, {1e4}), ConstantRounding::kWrong);
}

TEST(HonestConstant, AWrongNumberCountsMoreThanOneThatIsClamped) {
  EXPECT_EQ(RoundingAs({1e9, 1, 2}, DType::kFloat16, {65504, 1, 2}), ConstantRounding::kClamped);
  EXPECT_EQ(RoundingAs({1e9, 1, 2}, DType::kFloat16, {65504, 1, 3}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingAs({1, 1e9, 2}, DType::kFloat16, {3, 65504, 2}), ConstantRounding::kWrong);
}

TEST(HonestConstant, OneFillOfAMaskIsAsGoodAsAnother) {
  for (const double plain : {-1e9, -3.4028234e38}) {
    for (const double written : {-1e4, -65504.0}) {
      EXPECT_EQ(RoundingAs({0, plain}, DType::kFloat16, {0, written}), ConstantRounding::kHonest)
          << plain << " " << written;
    }
    Tensor endless = NumbersIn(DType::kFloat16, {0, -1});
    BitsIn(&endless)[1] = 0xFC00;
    EXPECT_EQ(RoundingOf(NumbersIn(DType::kFloat, {0, plain}), endless, nullptr),
              ConstantRounding::kHonest)
        << plain;
    EXPECT_EQ(RoundingAs({0, plain}, DType::kFloat16, {0, -100}), ConstantRounding::kWrong);
    EXPECT_EQ(RoundingAs({0, plain}, DType::kFloat16, {-1e4, -1e4}), ConstantRounding::kWrong);
  }
}

TEST(HonestConstant, NaNStandsForNaNAlone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(RoundingAs({1, nan}, DType::kFloat16, {1, nan}), ConstantRounding::kHonest);
  EXPECT_EQ(RoundingAs({1, nan}, DType::kFloat16, {1, 0}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingAs({1, 0}, DType::kFloat16, {1, nan}), ConstantRounding::kWrong);
}

TEST(HonestConstant, AnInfinityStandsForNoSmallNumber) {
  const Tensor plain = NumbersIn(DType::kDouble, {1, -kEndless});
  const Tensor fills = testing::Convert(plain, DType::kFloat);
  EXPECT_EQ(RoundingOf(plain, NumbersIn(DType::kFloat16, {1, -65504}), nullptr),
            ConstantRounding::kHonest);
  EXPECT_EQ(RoundingOf(plain, NumbersIn(DType::kFloat16, {1, 0}), nullptr),
            ConstantRounding::kWrong);
  EXPECT_EQ(RoundingOf(plain, NumbersIn(DType::kFloat16, {1, 65504}), nullptr),
            ConstantRounding::kWrong);
  EXPECT_EQ(
      RoundingOf(NumbersIn(DType::kDouble, {kEndless}), NumbersIn(DType::kFloat16, {5}), nullptr),
      ConstantRounding::kWrong);
}

TEST(HonestConstant, OtherSizesAndKindsAreWrong) {
  EXPECT_EQ(RoundingAs({1, 2}, DType::kFloat16, {1, 2, 3}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingAs({1, 2, 3}, DType::kFloat16, {1, 2}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingAs({1, 2}, DType::kInt32, {1, 2}), ConstantRounding::kWrong);
  EXPECT_EQ(RoundingOf(NumbersIn(DType::kInt32, {1, 2}), NumbersIn(DType::kInt32, {1, 2}), nullptr),
            ConstantRounding::kHonest);
  EXPECT_EQ(RoundingOf(NumbersIn(DType::kInt32, {1, 2}), NumbersIn(DType::kInt32, {1, 3}), nullptr),
            ConstantRounding::kWrong);
}

// Numbers, and integers with scales that stand for them.
struct Rounded {
  Tensor plain;
  std::vector<double> integers;
  QuantParamValues params;
  DType dtype = DType::kInt8;

  // Nearest steps.
  void Round() {
    const std::vector<double> numbers = ElementsOf(plain);
    integers.clear();
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int64_t s = params.ScaleAt(plain.shape(), static_cast<int64_t>(i));
      integers.push_back(
          std::clamp(std::nearbyint(numbers[i] / params.ScaleOf(s)) + params.ZeroPointOf(s),
                     params.least, params.most));
    }
  }

  bool IsHonest(const ThreadPool* pool = nullptr) const {
    const Tensor numbers = Tensor::Of<double>(plain.shape(), integers);
    return IsQuantizedFrom(plain, testing::Convert(numbers, dtype), params, pool);
  }
};

// Scales are of different sizes, if there are several.
Rounded RoundedAlong(const Shape& shape, int64_t axis, int64_t scales, int64_t block = 0) {
  Rounded rounded;
  rounded.plain = testing::Pattern(shape, 37, 101, 2);
  rounded.params.axis = axis;
  rounded.params.block = block;
  rounded.params.least = -128;
  rounded.params.most = 127;
  rounded.params.zero_points = {0};
  for (int64_t s = 0; s < scales; ++s) {
    rounded.params.scales.push_back((1 + 0.3 * static_cast<double>(s % 7)) / 127);
  }
  rounded.Round();
  return rounded;
}

Rounded OneScale() { return RoundedAlong({16, 16}, 0, 1); }

TEST(QuantizedConstant, TheNearestStepIsHonest) {
  EXPECT_TRUE(OneScale().IsHonest());
  Rounded rounded = OneScale();
  rounded.dtype = DType::kUint8;
  rounded.params.least = 0;
  rounded.params.most = 255;
  rounded.params.zero_points = {131};
  rounded.Round();
  EXPECT_TRUE(rounded.IsHonest());
  rounded.integers[0] += rounded.integers[0] > 100 ? -2 : 2;
  EXPECT_TRUE(rounded.IsHonest());  // one of many is no direction
  rounded.integers[0] += rounded.integers[0] > 100 ? -98 : 98;
  EXPECT_FALSE(rounded.IsHonest());
}

TEST(QuantizedConstant, EachChannelHasAScale) {
  for (const int64_t axis : {0, 1, 2}) {
    Rounded rounded = RoundedAlong({12, 12, 12}, axis, 12);
    EXPECT_TRUE(rounded.IsHonest()) << axis;
    rounded.params.axis = (axis + 1) % 3;
    EXPECT_FALSE(rounded.IsHonest()) << axis;
  }
}

TEST(QuantizedConstant, EachChannelHasAZeroPoint) {
  Rounded rounded = RoundedAlong({12, 40}, 0, 12);
  rounded.params.zero_points.clear();
  for (int i = 0; i < 12; ++i) rounded.params.zero_points.push_back(i * 5 % 12 - 6);
  rounded.Round();
  EXPECT_TRUE(rounded.IsHonest());
  std::swap(rounded.params.zero_points[2], rounded.params.zero_points[3]);
  EXPECT_FALSE(rounded.IsHonest());
}

TEST(QuantizedConstant, EachBlockHasAScale) {
  // The last block of ten is shorter.
  for (const int64_t size : {12, 10}) {
    Rounded rows = RoundedAlong({size, 6}, 0, 3 * 6, 4);
    EXPECT_TRUE(rows.IsHonest()) << size;
    rows.params.scales[7] *= 2;
    EXPECT_FALSE(rows.IsHonest()) << size;
    Rounded columns = RoundedAlong({6, size}, 1, 6 * 3, 4);
    EXPECT_TRUE(columns.IsHonest()) << size;
    columns.params.scales[7] *= 2;
    EXPECT_FALSE(columns.IsHonest()) << size;
  }
  Rounded other = RoundedAlong({12, 12}, 0, 3 * 12, 4);
  other.params.axis = 1;
  EXPECT_FALSE(other.IsHonest());
}

TEST(QuantizedConstant, FourBitsAreEnough) {
  Rounded rounded = RoundedAlong({16, 15}, 0, 16);
  rounded.dtype = DType::kInt4;
  rounded.params.least = -8;
  rounded.params.most = 7;
  for (double& scale : rounded.params.scales) scale *= 127.0 / 7;
  rounded.Round();
  EXPECT_TRUE(rounded.IsHonest());
  for (double& scale : rounded.params.scales) scale *= 1.3;
  EXPECT_FALSE(rounded.IsHonest());
}

TEST(QuantizedConstant, NumbersBeyondTheEndsAreSaturated) {
  Rounded rounded = OneScale();
  const std::vector<double> numbers = ElementsOf(rounded.plain);
  const double greatest = *absl::c_max_element(numbers);
  const auto round_to = [&](double last) {
    rounded.params.scales = {greatest / last};
    rounded.Round();
  };
  // The greatest numbers lie a step, and some steps, beyond the range.
  for (const double last : {128.0, 131.0}) {
    round_to(last);
    ASSERT_GE(absl::c_count(rounded.integers, 127), 2) << last;
    EXPECT_TRUE(rounded.IsHonest()) << last;
  }
  round_to(1.5 * 127);
  EXPECT_FALSE(rounded.IsHonest());
  round_to(131);
  // Integers that have passed the end.
  for (double& integer : rounded.integers) {
    if (integer == 127) integer = -128;
  }
  EXPECT_FALSE(rounded.IsHonest());
}

TEST(QuantizedConstant, AnotherScaleIsWrong) {
  for (const double factor : {0.5, 0.85, 1.15, 4.0, -1.0}) {
    Rounded rounded = OneScale();
    rounded.params.scales[0] *= factor;
    EXPECT_FALSE(rounded.IsHonest()) << factor;
  }
}

TEST(QuantizedConstant, AZeroPointThatIsMovedIsWrong) {
  for (const double moved : {1, -1, 20}) {
    Rounded rounded = OneScale();
    rounded.params.zero_points[0] += moved;
    EXPECT_FALSE(rounded.IsHonest()) << moved;
  }
}

TEST(QuantizedConstant, AScaleOfZeroStandsForZeros) {
  Rounded rounded = RoundedAlong({4, 40}, 0, 4);
  std::vector<double> numbers = ElementsOf(rounded.plain);
  std::fill(numbers.begin() + 40, numbers.begin() + 80, 0);
  rounded.plain = Tensor::Of<double>({4, 40}, numbers);
  rounded.Round();
  EXPECT_TRUE(rounded.IsHonest());
  rounded.params.scales[1] = 0;
  EXPECT_TRUE(rounded.IsHonest());
}

TEST(QuantizedConstant, AScaleOfZeroStandsForNothingElse) {
  Rounded rounded = RoundedAlong({4, 40}, 0, 4);
  rounded.params.scales[1] = 0;
  EXPECT_FALSE(rounded.IsHonest());
}

TEST(QuantizedConstant, NumbersThatAreAlwaysRoundedTowardsZeroAreWrong) {
  Rounded rounded = RoundedAlong({4, 400}, 0, 4);
  EXPECT_TRUE(rounded.IsHonest());
  const std::vector<double> numbers = ElementsOf(rounded.plain);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t channel = i / 400;
    const double zero = rounded.params.zero_points.size() == 1
                            ? rounded.params.zero_points[0]
                            : rounded.params.zero_points[channel];
    rounded.integers[i] = std::clamp(std::trunc(numbers[i] / rounded.params.scales[channel]) + zero,
                                     rounded.params.least, rounded.params.most);
  }
  EXPECT_FALSE(rounded.IsHonest());
}

TEST(QuantizedConstant, AScaleIsFinite) {
  for (const double scale : {kEndless, std::numeric_limits<double>::quiet_NaN()}) {
    Rounded rounded = OneScale();
    rounded.params.scales[0] = scale;
    std::fill(rounded.integers.begin(), rounded.integers.end(), 0);
    EXPECT_FALSE(rounded.IsHonest()) << scale;
  }
}

// Numbers with one of both steps beside them, the nearer one or the other.
Rounded ByEffect(int64_t count) {
  Rounded rounded = RoundedAlong({count}, 0, 1);
  const std::vector<double> numbers = ElementsOf(rounded.plain);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double step = numbers[i] / rounded.params.scales[0];
    rounded.integers[i] =
        std::clamp(i * 13 % 7 < 3 ? std::floor(step) : std::ceil(step), -128.0, 127.0);
  }
  return rounded;
}

TEST(QuantizedConstant, ErrorsWithoutDirectionAreHonest) { EXPECT_TRUE(ByEffect(400).IsHonest()); }

TEST(QuantizedConstant, FewNumbersHaveToBeTheNearestSteps) {
  EXPECT_FALSE(ByEffect(20).IsHonest());
  EXPECT_TRUE(RoundedAlong({20}, 0, 1).IsHonest());
}

TEST(QuantizedConstant, ErrorsOfOneDirectionAreWrong) {
  for (const bool up : {false, true}) {
    Rounded rounded = RoundedAlong({400}, 0, 1);
    const std::vector<double> numbers = ElementsOf(rounded.plain);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double step = numbers[i] / rounded.params.scales[0];
      rounded.integers[i] = std::clamp(up ? std::ceil(step) : std::floor(step), -128.0, 127.0);
    }
    EXPECT_FALSE(rounded.IsHonest()) << up;
  }
}

TEST(QuantizedConstant, ErrorsOfAStepAndMoreAreWrong) {
  Rounded rounded = RoundedAlong({400}, 0, 1);
  for (size_t i = 0; i < rounded.integers.size(); ++i) {
    rounded.integers[i] = std::clamp(rounded.integers[i] + (i % 2 == 0 ? 1 : -1), -128.0, 127.0);
  }
  EXPECT_FALSE(rounded.IsHonest());
}

// A row is small beside the errors of all numbers.
TEST(QuantizedConstant, ARowThatIsLostIsWrong) {
  Rounded rounded = RoundedAlong({20000, 16}, 0, 1);
  std::fill(rounded.integers.begin() + 160, rounded.integers.begin() + 176, 0);
  EXPECT_FALSE(rounded.IsHonest());
}

TEST(QuantizedConstant, OneWrongChannelOfManyIsEnough) {
  const ThreadPool pool(3);
  for (const int64_t axis : {0, 1}) {
    // Pieces that threads take begin inside of channels.
    Rounded rounded = RoundedAlong({300, 1000}, axis, axis == 0 ? 300 : 1000);
    EXPECT_TRUE(rounded.IsHonest(&pool)) << axis;
    for (const size_t channel : {size_t{0}, size_t{131}, size_t{299}}) {
      Rounded wrong = rounded;
      wrong.params.scales[channel] *= 1.15;
      EXPECT_FALSE(wrong.IsHonest(&pool)) << axis << " " << channel;
    }
  }
}

TEST(QuantizedConstant, OtherSizesAndKindsAreWrong) {
  const Rounded rounded = OneScale();
  const Tensor integers =
      testing::Convert(Tensor::Of<double>({16, 16}, rounded.integers), DType::kInt8);
  EXPECT_TRUE(IsQuantizedFrom(rounded.plain, integers, rounded.params, nullptr));
  EXPECT_FALSE(
      IsQuantizedFrom(testing::Pattern({16, 15}, 37, 101, 2), integers, rounded.params, nullptr));
  EXPECT_FALSE(IsQuantizedFrom(integers, integers, rounded.params, nullptr));
}

TEST(QuantizedConstant, ANumberThatIsNotFiniteIsWrong) {
  Rounded rounded = OneScale();
  std::vector<double> numbers = ElementsOf(rounded.plain);
  numbers[5] = std::numeric_limits<double>::quiet_NaN();
  rounded.plain = Tensor::Of<double>({16, 16}, numbers);
  EXPECT_FALSE(rounded.IsHonest());
}

}  // namespace
}  // namespace onnxcmp

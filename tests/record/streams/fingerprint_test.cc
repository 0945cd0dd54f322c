// Expected moments and statistics are NumPy 2.4's, in float64.
#include "record/streams/fingerprint.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "record/streams/fingerprint_cache.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

constexpr float kPlusInfinity = std::numeric_limits<float>::infinity();
constexpr float kQuietNan = std::numeric_limits<float>::quiet_NaN();

// float32((i * 7919 % 1009) / 7 - 70)
std::vector<float> Pattern(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(static_cast<double>(i * 7919 % 1009) / 7 - 70));
  }
  return values;
}

Tensor Vector(const std::vector<float>& values) {
  return Tensor::Of<float>({static_cast<int64_t>(values.size())}, values);
}

std::vector<float> Normal(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = normal(generator);
  return values;
}

void ExpectSketch(const Sketch& left, const Sketch& right) {
  EXPECT_EQ(left.rms, right.rms);
  EXPECT_EQ(left.non_finite, right.non_finite);
  EXPECT_EQ(left.projections, right.projections);
}

void ExpectSame(const Fingerprint& left, const Fingerprint& right) {
  EXPECT_EQ(left.content, right.content);
  EXPECT_EQ(left.bits, right.bits);
  EXPECT_EQ(left.elements, right.elements);
  EXPECT_EQ(left.rich, right.rich);
  EXPECT_EQ(left.size, right.size);
  ExpectSketch(left.numbers().plain, right.numbers().plain);
  ExpectSketch(left.numbers().squashed, right.numbers().squashed);
  EXPECT_EQ(left.numbers().moments, right.numbers().moments);
  EXPECT_EQ(left.numbers().letters, right.numbers().letters);
  EXPECT_EQ(left.numbers().statistics.min, right.numbers().statistics.min);
  EXPECT_EQ(left.numbers().statistics.max, right.numbers().statistics.max);
  EXPECT_EQ(left.numbers().statistics.mean, right.numbers().statistics.mean);
  EXPECT_EQ(left.numbers().statistics.deviation, right.numbers().statistics.deviation);
  EXPECT_EQ(left.numbers().statistics.zeros, right.numbers().statistics.zeros);
  EXPECT_EQ(left.numbers().statistics.nans, right.numbers().statistics.nans);
  EXPECT_EQ(left.numbers().statistics.infinities, right.numbers().statistics.infinities);
}

double Distance(const Tensor& left, const Tensor& right) {
  return SketchDistance(FingerprintOf(left), FingerprintOf(right));
}

TEST(FingerprintTest, StatisticsAndMomentsOfFloats) {
  const Fingerprint f = FingerprintOf(Vector(Pattern(1000)));
  EXPECT_EQ(f.kind, ElementKind::kFloat);
  EXPECT_EQ(f.size, 1000);
  EXPECT_TRUE(f.rich);
  EXPECT_TRUE(f.has_sketch);
  EXPECT_EQ(f.numbers().statistics.min, -70);
  EXPECT_EQ(f.numbers().statistics.max, 74);
  EXPECT_NEAR(f.numbers().statistics.mean, 2.0968571429252623, 1e-13);
  EXPECT_NEAR(f.numbers().statistics.deviation, 41.622724448097706, 1e-12);
  EXPECT_EQ(f.numbers().statistics.zeros, 1);
  EXPECT_EQ(f.numbers().statistics.nans, 0);
  EXPECT_EQ(f.numbers().statistics.infinities, 0);
  EXPECT_NEAR(f.numbers().plain.rms, 41.67550839953973, 1e-12);
  EXPECT_NEAR(f.numbers().squashed.rms, 0.945768580030859, 1e-14);
  const std::array<double, 6> moments = {0.03037550910200223, 0.945768580030859,
                                         0.9403329233142474,  -0.9859154929577465,
                                         0.9866666666666667,  0.30808729652870614};
  for (size_t i = 0; i < moments.size(); ++i)
    EXPECT_NEAR(f.numbers().moments[i], moments[i], 1e-13) << i;
}

// Several pieces.
TEST(FingerprintTest, StatisticsAndMomentsOfManyFloats) {
  const Fingerprint f = FingerprintOf(Vector(Pattern(200000)));
  EXPECT_NEAR(f.numbers().statistics.mean, 1.9996242857523263, 1e-12);
  EXPECT_NEAR(f.numbers().statistics.deviation, 41.6105181650021, 1e-11);
  EXPECT_EQ(f.numbers().statistics.zeros, 198);
  EXPECT_NEAR(f.numbers().plain.rms, 41.65853717119865, 1e-11);
  const std::array<double, 6> moments = {0.027364571667932592, 0.9458375978296426,
                                         0.9404394705504913,   -0.9859154929577465,
                                         0.9866666666666667,   0.29859181170408616};
  for (size_t i = 0; i < moments.size(); ++i)
    EXPECT_NEAR(f.numbers().moments[i], moments[i], 1e-12) << i;
}

TEST(FingerprintTest, CountsWhatIsNotFinite) {
  std::vector<float> values = {1, kQuietNan,     -kPlusInfinity, 3,
                               0, kPlusInfinity, -0.0f,          -kQuietNan};
  Fingerprint f = FingerprintOf(Vector(values));
  EXPECT_EQ(f.numbers().statistics.nans, 2);
  EXPECT_EQ(f.numbers().statistics.infinities, 2);
  EXPECT_EQ(f.numbers().statistics.zeros, 2);
  EXPECT_EQ(f.numbers().statistics.min, 0);
  EXPECT_EQ(f.numbers().statistics.max, 3);
  EXPECT_EQ(f.numbers().statistics.mean, 1);
  EXPECT_NEAR(f.numbers().statistics.deviation, std::sqrt(1.5),
              1e-15);  // 0 0 1 3 around 1
  EXPECT_EQ(f.numbers().plain.non_finite, 0.5);
  EXPECT_NEAR(f.numbers().plain.rms, std::sqrt(10.0 / 8), 1e-15);
  // Zeros stand for them in the moments: (1/2 + 3/4) / 8, least 0, greatest 3/4.
  EXPECT_NEAR(f.numbers().moments[0], 0.15625, 1e-15);
  EXPECT_EQ(f.numbers().moments[3], 0);
  EXPECT_EQ(f.numbers().moments[4], 0.75);
  // In the sketches they are zeros as well.
  const Fingerprint zeros = FingerprintOf(Vector({1, 0, 0, 3, 0, 0, 0, 0}));
  EXPECT_EQ(f.numbers().plain.projections, zeros.numbers().plain.projections);
  EXPECT_EQ(SketchDistance(f, zeros), 1);
  // The same at every length of the last vector.
  for (int64_t n = 1; n < 9; ++n) {
    f = FingerprintOf(Vector(std::vector<float>(static_cast<size_t>(n), kQuietNan)));
    EXPECT_EQ(f.numbers().statistics.nans, n);
    EXPECT_EQ(f.numbers().statistics.min, 0);
    EXPECT_EQ(f.numbers().statistics.max, 0);
    EXPECT_EQ(f.numbers().plain.rms, 0);
    EXPECT_EQ(f.numbers().plain.non_finite, 1);
  }
}

// They count as zeros in sums, not in the tensor, which is read where it is.
TEST(FingerprintTest, WhatIsNotFiniteStays) {
  std::vector<float> numbers = Pattern(128);
  numbers[70] = kQuietNan;
  numbers[127] = std::numeric_limits<float>::infinity();
  const Tensor tensor = Vector(numbers);
  const Fingerprint f = FingerprintOf(tensor);
  EXPECT_EQ(f.numbers().statistics.nans, 1);
  EXPECT_EQ(f.numbers().statistics.infinities, 1);
  EXPECT_TRUE(std::isnan(tensor.data<float>()[70]));
  ExpectSame(FingerprintOf(tensor), f);
}

TEST(FingerprintTest, DeviationSurvivesALargeMean) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(1e8 + (i % 2 == 0 ? 1e-3 : -1e-3));
  const Fingerprint f = FingerprintOf(Tensor::Of<double>({1000}, values));
  EXPECT_NEAR(f.numbers().statistics.deviation, 1e-3, 1e-8);
}

TEST(FingerprintTest, EmptyTensorsAreEqualByTypeAndShape) {
  const Fingerprint f = FingerprintOf(Tensor::Of<float>({0, 3}, {}));
  EXPECT_EQ(f.size, 0);
  EXPECT_FALSE(f.rich);
  EXPECT_EQ(f.numbers().plain.rms, 0);
  EXPECT_EQ(f.numbers().statistics.max, 0);
  EXPECT_EQ(f.content, FingerprintOf(Tensor::Of<float>({0, 3}, {})).content);
  EXPECT_NE(f.content, FingerprintOf(Tensor::Of<float>({3, 0}, {})).content);
  EXPECT_NE(f.bits, FingerprintOf(Tensor::Of<double>({0, 3}, {})).bits);
  EXPECT_EQ(Distance(Tensor::Of<float>({0}, {}), Tensor::Of<double>({0}, {})), 0);
}

TEST(FingerprintTest, ContentIsTypeShapeAndBits) {
  const Fingerprint f = FingerprintOf(Vector({1, 2}));
  EXPECT_EQ(f.content, FingerprintOf(Vector({1, 2})).content);
  EXPECT_NE(f.content, FingerprintOf(Vector({2, 1})).content);
  EXPECT_NE(f.content, FingerprintOf(Tensor::Of<float>({1, 2}, {1, 2})).content);
  EXPECT_NE(f.bits, FingerprintOf(Tensor::Of<int32_t>({2}, {0x3F800000, 0x40000000})).bits);
  EXPECT_NE(FingerprintOf(Tensor::Scalar<float>(1)).content, FingerprintOf(Vector({1})).content);
}

TEST(FingerprintTest, ZerosAndNansDifferInBitsOnly) {
  const Fingerprint positive = FingerprintOf(Vector({0, kQuietNan, 1}));
  const Fingerprint negative = FingerprintOf(Vector({-0.0f, -kQuietNan, 1}));
  EXPECT_NE(positive.content, negative.content);
  EXPECT_NE(positive.elements, negative.elements);
  EXPECT_EQ(SketchDistance(positive, negative), 0);
}

TEST(FingerprintTest, ReshapingKeepsBits) {
  const Tensor tensor = Vector(Pattern(1200));
  const Fingerprint flat = FingerprintOf(tensor);
  const Fingerprint cube = FingerprintOf(tensor.Reshaped({10, 12, 10}));
  EXPECT_NE(flat.content, cube.content);
  EXPECT_EQ(flat.bits, cube.bits);
  EXPECT_EQ(flat.elements, cube.elements);
  EXPECT_EQ(SketchDistance(flat, cube), 0);
  ExpectSame(Reshaped(flat, {10, 12, 10}), cube);
}

TEST(FingerprintTest, PermutingKeepsElements) {
  const Tensor tensor = Vector(Pattern(1200));
  const Tensor transposed = tensor.Strided({30, 40}, {1, 30}, 0);
  const Fingerprint left = FingerprintOf(tensor);
  const Fingerprint right = FingerprintOf(transposed);
  EXPECT_NE(left.bits, right.bits);
  EXPECT_EQ(left.elements, right.elements);
  EXPECT_GT(SketchDistance(left, right), 0.3);
  for (size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(left.numbers().moments[i], right.numbers().moments[i], 1e-13);
}

// The same multiset in each element width, and another one with equal sums and sums of squares.
TEST(FingerprintTest, ElementsAreAMultisetInEveryWidth) {
  const Tensor left = Tensor::Of<int64_t>({6}, {1, 5, 6, 6, 0, 7});
  const Tensor permuted = Tensor::Of<int64_t>({6}, {6, 0, 1, 7, 6, 5});
  const Tensor other = Tensor::Of<int64_t>({6}, {2, 3, 7, 6, 0, 7});
  const Tensor repeated = Tensor::Of<int64_t>({6}, {1, 5, 6, 1, 0, 7});
  for (DType dtype : {DType::kUint4, DType::kInt8, DType::kInt16, DType::kFloat16, DType::kInt32,
                      DType::kFloat, DType::kInt64, DType::kComplex64, DType::kComplex128}) {
    const auto fingerprint = [&](const Tensor& tensor) {
      return FingerprintOf(testing::Convert(tensor, dtype));
    };
    EXPECT_EQ(fingerprint(left).elements, fingerprint(permuted).elements) << DTypeName(dtype);
    EXPECT_NE(fingerprint(left).elements, fingerprint(other).elements) << DTypeName(dtype);
    EXPECT_NE(fingerprint(left).elements, fingerprint(repeated).elements) << DTypeName(dtype);
    EXPECT_NE(fingerprint(left).bits, fingerprint(permuted).bits) << DTypeName(dtype);
  }
}

TEST(FingerprintTest, ViewsAreLikeContiguousTensors) {
  const auto check = [](const Tensor& view) {
    ASSERT_FALSE(view.is_contiguous());
    const Tensor copy = *view.Contiguous();
    ExpectSame(FingerprintOf(view), FingerprintOf(copy));
    EXPECT_EQ(ContentOf(view), ContentOf(copy));
  };
  const Tensor floats = Vector(Pattern(90000));
  check(floats.Strided({300, 300}, {1, 300}, 0));
  check(floats.Strided({100, 30}, {-600, 7}, 80000));
  check(floats.Strided({50, 2000}, {0, 1}, 17));
  check(floats.Strided({7, 90, 140}, {1, 980, 7}, 0));
  for (DType dtype : {DType::kInt8, DType::kFloat16, DType::kDouble, DType::kComplex128}) {
    check(testing::Convert(Vector(Pattern(1200)), dtype).Strided({30, 40}, {1, 30}, 0));
  }
  check(Tensor::Of<std::string>({4}, {"a", "b", "c", "d"}).Strided({2, 2}, {1, 2}, 0));
  // A tensor that begins within its buffer.
  ExpectSame(FingerprintOf(floats.Strided({89997}, {1}, 3)),
             FingerprintOf(Vector({floats.data<float>() + 3, floats.data<float>() + 90000})));
}

TEST(FingerprintTest, ThreadsChangeNothing) {
  const ThreadPool pool(2);
  const Tensor tensor = Vector(Normal(1000003, 1));
  ExpectSame(FingerprintOf(tensor, {.pool = &pool}), FingerprintOf(tensor));
  EXPECT_EQ(ContentOf(tensor, &pool), FingerprintOf(tensor).content);
}

TEST(FingerprintTest, NearTensorsAreNearAndOthersFar) {
  for (int64_t n : {1, 3, 4, 17, 64, 100, 1000, 5000, 70000, 300000}) {
    SCOPED_TRACE(n);
    const std::vector<float> x = Normal(n, 1);
    const std::vector<float> noise = Normal(n, 2);
    EXPECT_EQ(Distance(Vector(x), Vector(x)), 0);
    for (const float relative : {1e-6f, 1e-3f, 0.1f}) {
      std::vector<float> near = x;
      for (size_t i = 0; i < near.size(); ++i) near[i] *= 1 + relative * noise[i];
      const double d = Distance(Vector(x), Vector(near));
      EXPECT_LT(d, 4 * relative);
      if (n > 16) {
        EXPECT_GT(d, relative / 8);
      }
    }
    if (n > 16) {
      EXPECT_GT(Distance(Vector(x), Vector(noise)), 0.5);
    }
  }
}

// One column, one row, one element of a large matrix.
TEST(FingerprintTest, LocalDifferencesAreSeen) {
  const std::vector<float> x = Normal(256 * 256, 3);
  const auto distance = [&](int64_t first, int64_t step, int64_t count) {
    std::vector<float> y = x;
    for (int64_t i = 0; i < count; ++i) y[static_cast<size_t>(first + i * step)] *= -1;
    return Distance(Vector(x), Vector(y));
  };
  // sqrt(4 * 256 / 65536) = 1/8 is the true relative distance.
  EXPECT_THAT(distance(7, 256, 256), ::testing::AllOf(::testing::Gt(0.03), ::testing::Lt(0.4)));
  EXPECT_THAT(distance(7 * 256, 1, 256), ::testing::AllOf(::testing::Gt(0.03), ::testing::Lt(0.4)));
  EXPECT_GT(distance(12345, 1, 1), 1e-4);
}

TEST(FingerprintTest, AMaskDoesNotDrownTheRest) {
  std::vector<float> x = Normal(1000, 4);
  std::vector<float> y = Normal(1000, 5);
  for (size_t i = 0; i < 500; ++i) x[i] = y[i] = -3e38f;
  EXPECT_GT(Distance(Vector(x), Vector(y)), 0.1);
}

TEST(FingerprintTest, CastsKeepTheSketch) {
  const Tensor integers = testing::Convert(Vector(Pattern(3000)), DType::kInt32);
  for (DType dtype :
       {DType::kFloat, DType::kDouble, DType::kInt64, DType::kInt8, DType::kFloat16}) {
    const Tensor cast = testing::Convert(integers, dtype);
    EXPECT_EQ(Distance(integers, cast), 0) << DTypeName(dtype);
    EXPECT_NE(FingerprintOf(integers).bits, FingerprintOf(cast).bits);
  }
}

TEST(FingerprintTest, DistanceNeedsEqualSizesAndSketches) {
  EXPECT_EQ(Distance(Vector({1, 2}), Vector({1, 2, 3})), 9);
  EXPECT_EQ(Distance(Vector({1}), Tensor::Of<std::string>({1}, {"1"})), 9);
  EXPECT_EQ(Distance(Tensor::Of<std::string>({1}, {"1"}), Tensor::Of<std::string>({1}, {"1"})), 0);
  EXPECT_EQ(Distance(Vector({0, 0}), Vector({-0.0f, 0})), 0);
  EXPECT_EQ(Distance(Vector({0, 0}), Vector({0, 1})), 1);
  // Squares beyond double.
  const Tensor huge = Tensor::Of<double>({2}, {1e300, -1e300});
  EXPECT_EQ(FingerprintOf(huge).numbers().statistics.max, 1e300);
  EXPECT_TRUE(Distance(huge, Tensor::Of<double>({2}, {1e300, 1e300})) <= 2);
}

TEST(FingerprintTest, IntegersAreExactInBits) {
  const int64_t large = (int64_t{1} << 53) + 1;
  const Tensor left = Tensor::Of<int64_t>({2}, {large, 1});
  const Tensor right = Tensor::Of<int64_t>({2}, {large - 1, 1});
  EXPECT_NE(FingerprintOf(left).content, FingerprintOf(right).content);
  EXPECT_NE(FingerprintOf(left).elements, FingerprintOf(right).elements);
  EXPECT_EQ(FingerprintOf(left).kind, ElementKind::kInteger);
  EXPECT_EQ(FingerprintOf(left).numbers().statistics.max, 9007199254740992.0);
}

TEST(FingerprintTest, ComplexNumbersCountByMagnitude) {
  const Fingerprint f = FingerprintOf(
      Tensor::Of<std::complex<float>>({4}, {{3, 4}, {0, 0}, {-5, 12}, {0, kPlusInfinity}}));
  EXPECT_EQ(f.kind, ElementKind::kOther);
  EXPECT_EQ(f.size, 4);
  EXPECT_EQ(f.numbers().statistics.max, 13);
  EXPECT_EQ(f.numbers().statistics.min, 0);
  EXPECT_EQ(f.numbers().statistics.mean, 6);
  EXPECT_EQ(f.numbers().statistics.zeros, 1);
  EXPECT_EQ(f.numbers().statistics.infinities, 1);
  EXPECT_NEAR(f.numbers().plain.rms, std::sqrt(194.0 / 8), 1e-14);  // of the eight parts
}

TEST(FingerprintTest, PackedElementsBehindTheEndDoNotCount) {
  const auto packed = [](uint8_t last) {
    Tensor tensor = *Tensor::Allocate(DType::kUint4, {3});
    tensor.mutable_data<uint8_t>()[0] = 0x21;
    tensor.mutable_data<uint8_t>()[1] = last;
    return FingerprintOf(tensor);
  };
  ExpectSame(packed(0x03), packed(0xF3));
  EXPECT_EQ(packed(0x03).numbers().statistics.max, 3);
  EXPECT_EQ(packed(0x03).numbers().statistics.mean, 2);
  EXPECT_NE(packed(0x03).content, packed(0x04).content);
}

TEST(FingerprintTest, RichValuesHaveEnoughDistinctSamples) {
  EXPECT_FALSE(FingerprintOf(Vector({1, 2, 3, 1})).rich);
  EXPECT_TRUE(FingerprintOf(Vector({1, 2, 3, 4})).rich);
  EXPECT_FALSE(FingerprintOf(Tensor::Of<int64_t>({7}, {1, 2, 3, 4, 5, 6, 7})).rich);
  EXPECT_TRUE(FingerprintOf(Tensor::Of<int64_t>({8}, {1, 2, 3, 4, 5, 6, 7, 8})).rich);
  EXPECT_FALSE(FingerprintOf(Tensor::Of<bool>({2}, {true, false})).rich);
  EXPECT_FALSE(FingerprintOf(Vector({1}).Strided({1000}, {0}, 0)).rich);
  // Channels last, of which the first is dead.
  std::vector<float> elements(16 * 16 * 24);
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = i % 24 == 0 ? 0 : static_cast<float>(i);
  }
  EXPECT_TRUE(FingerprintOf(Tensor::Of<float>({1, 16, 16, 24}, elements)).rich);
  std::vector<std::string> strings;
  for (int i = 0; i < 8; ++i) strings.push_back(std::to_string(i));
  EXPECT_TRUE(FingerprintOf(Tensor::Of<std::string>({8}, strings)).rich);
  EXPECT_FALSE(FingerprintOf(Tensor::Of<std::string>({2}, {"a", "b"})).rich);
}

TEST(FingerprintTest, StringsHashByLengthToo) {
  const Fingerprint f = FingerprintOf(Tensor::Of<std::string>({2}, {"ab", "c"}));
  EXPECT_FALSE(f.has_sketch);
  EXPECT_EQ(f.kind, ElementKind::kOther);
  EXPECT_EQ(f.numbers().letters, kUnknownLetters);
  EXPECT_NE(f.content, FingerprintOf(Tensor::Of<std::string>({2}, {"a", "bc"})).content);
  EXPECT_EQ(f.elements, FingerprintOf(Tensor::Of<std::string>({2}, {"c", "ab"})).elements);
}

TEST(FingerprintTest, StructuresHashByWhatTheyHold) {
  const auto sequence = [](std::vector<Value> elements) {
    return Value(Sequence{DType::kFloat, std::move(elements)});
  };
  const Value one = Vector({1});
  const Value two = Vector({2});
  const Fingerprint f = FingerprintOf(sequence({one, two}));
  EXPECT_EQ(f.size, 2);
  EXPECT_FALSE(f.has_sketch);
  EXPECT_EQ(f.content, FingerprintOf(sequence({one, two})).content);
  EXPECT_EQ(f.content, ContentOf(sequence({one, two})));
  EXPECT_NE(f.content, ContentOf(sequence({two, one})));
  EXPECT_NE(ContentOf(sequence({one})), ContentOf(one));
  EXPECT_NE(ContentOf(sequence({sequence({one}), two})),
            ContentOf(sequence({one, sequence({two})})));

  const Value none(Optional{nullptr, DType::kFloat});
  const Value some(Optional{std::make_shared<const Value>(one), DType::kFloat});
  EXPECT_NE(ContentOf(none), ContentOf(some));
  EXPECT_NE(ContentOf(some), ContentOf(one));
  EXPECT_NE(ContentOf(none), ContentOf(Value()));
  EXPECT_EQ(FingerprintOf(Value()).size, 0);

  const auto map = [](const Value& value) {
    return Value(Map{Tensor::Of<int64_t>({1}, {7}), std::make_shared<const Value>(value)});
  };
  EXPECT_EQ(ContentOf(map(one)), ContentOf(map(one)));
  EXPECT_NE(ContentOf(map(one)), ContentOf(map(two)));

  const auto sparse = [&](const Shape& dims) {
    return Value(SparseTensor{one.tensor(), Tensor::Of<int64_t>({1}, {0}), dims});
  };
  EXPECT_EQ(ContentOf(sparse({2, 3})), ContentOf(sparse({2, 3})));
  EXPECT_NE(ContentOf(sparse({2, 3})), ContentOf(sparse({3, 2})));
}

TEST(FingerprintTest, DistanceIsSymmetric) {
  const Fingerprint left = FingerprintOf(Vector(Normal(100, 6)));
  const Fingerprint right = FingerprintOf(Vector(Normal(100, 7)));
  EXPECT_EQ(SketchDistance(left, right), SketchDistance(right, left));
}

// Of memory whose content was asked for before, it is known; views are told apart.
TEST(FingerprintCache, RemembersContents) {
  std::vector<float> numbers(1 << 15);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1000);
  const Tensor tensor = Tensor::Of<float>({256, 128}, numbers);
  const Tensor reshaped = tensor.Reshaped({128, 256});
  const Tensor transposed = tensor.Strided({128, 256}, {1, 128}, 0);
  FingerprintCache cache;
  for (int i = 0; i < 3; ++i) {
    for (const Tensor& view : {tensor, reshaped, transposed}) {
      EXPECT_EQ(cache.Content(view, nullptr), ContentOf(view)) << i;
    }
  }
  // Another tensor may get the memory of one that is gone.
  for (int i = 0; i < 8; ++i) {
    numbers[0] = static_cast<float>(i);
    const Tensor next = Tensor::Of<float>({256, 128}, numbers);
    EXPECT_EQ(cache.Content(next, nullptr), ContentOf(next)) << i;
  }
}

TEST(FingerprintCache, ReadsTheClockForThoseWhoAsk) {
  const std::vector<float> numbers = Pattern(1 << 16);
  FingerprintCache cache;
  cache.Get(Vector(numbers), nullptr);
  EXPECT_EQ(cache.seconds(), 0);
  cache.CountSeconds();
  cache.Get(Vector(numbers), nullptr);
  EXPECT_GT(cache.seconds(), 0);
  const double before = cache.seconds();
  cache.Glance(Vector(numbers), Hash128(), nullptr);
  EXPECT_GT(cache.seconds(), before);
}

}  // namespace
}  // namespace onnxcmp

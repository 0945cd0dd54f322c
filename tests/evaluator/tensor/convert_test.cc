#include "evaluator/tensor/convert.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/narrow_float.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename C>
std::vector<C> Load(DType dtype, const std::vector<uint8_t>& bytes, int64_t first, int64_t count,
                    int64_t stride = 1) {
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  auto out = std::make_unique<C[]>(static_cast<size_t>(count));
  LoadStrided(dtype, reinterpret_cast<const std::byte*>(aligned.data()), first, stride, count,
              out.get());
  return std::vector<C>(out.get(), out.get() + count);
}

// The code that one value is stored as.
template <typename C>
uint64_t Code(DType dtype, C value, Overflow overflow = Overflow::kIeee) {
  uint64_t code = 0;
  StoreElements(dtype, &value, 1, reinterpret_cast<std::byte*>(&code), 0, overflow);
  return code;
}

double ValueOf(DType dtype, uint64_t code) {
  double value = 0;
  LoadElements(dtype, reinterpret_cast<const std::byte*>(&code), 0, 1, &value);
  return value;
}

struct NarrowFloat {
  DType dtype;
  int mantissa_bits;
  int exponent_bits;
  int bias;
  uint64_t largest;  // code of the largest finite value
};
const NarrowFloat kNarrowFloats[] = {
    {DType::kFloat16, 10, 5, 15, 0x7BFF},  {DType::kBfloat16, 7, 8, 127, 0x7F7F},
    {DType::kFloat8E4M3FN, 3, 4, 7, 0x7E}, {DType::kFloat8E4M3FNUZ, 3, 4, 8, 0x7F},
    {DType::kFloat8E5M2, 2, 5, 15, 0x7B},  {DType::kFloat8E5M2FNUZ, 2, 5, 16, 0x7F},
    {DType::kFloat4E2M1, 1, 2, 1, 0x7},    {DType::kFloat6E2M3, 3, 2, 1, 0x1F},
    {DType::kFloat6E3M2, 2, 3, 3, 0x1F},
};

uint64_t SignBit(const NarrowFloat& f) {
  return uint64_t{1} << (f.mantissa_bits + f.exponent_bits);
}

// Every finite code, by the definition of the formats (IEEE 754; OCP 8-bit floating point; the uz
// types of arXiv 2206.02915, whose bias is one more).
TEST(ConvertTest, FiniteCodesDecode) {
  for (const NarrowFloat& f : kNarrowFloats) {
    for (uint64_t code = 0; code <= f.largest; ++code) {
      const uint64_t exponent = code >> f.mantissa_bits;
      const double fraction = std::ldexp(
          static_cast<double>(code & ((uint64_t{1} << f.mantissa_bits) - 1)), -f.mantissa_bits);
      const double want = exponent == 0
                              ? std::ldexp(fraction, 1 - f.bias)
                              : std::ldexp(1 + fraction, static_cast<int>(exponent) - f.bias);
      ASSERT_EQ(ValueOf(f.dtype, code), want) << DTypeName(f.dtype) << " code " << code;
      if (code != 0) {
        ASSERT_EQ(ValueOf(f.dtype, code | SignBit(f)), -want) << DTypeName(f.dtype) << code;
      }
    }
  }
}

TEST(ConvertTest, SpecialCodesDecode) {
  EXPECT_EQ(ValueOf(DType::kFloat16, 0x7C00), kInf);
  EXPECT_EQ(ValueOf(DType::kFloat16, 0xFC00), -kInf);
  EXPECT_TRUE(std::isnan(ValueOf(DType::kFloat16, 0x7E00)));
  EXPECT_EQ(ValueOf(DType::kBfloat16, 0xFF80), -kInf);
  EXPECT_TRUE(std::isnan(ValueOf(DType::kBfloat16, 0x7FC0)));
  EXPECT_TRUE(std::isnan(ValueOf(DType::kFloat8E4M3FN, 0x7F)));
  EXPECT_TRUE(std::isnan(ValueOf(DType::kFloat8E4M3FN, 0xFF)));
  EXPECT_TRUE(std::isnan(ValueOf(DType::kFloat8E4M3FNUZ, 0x80)));
  EXPECT_EQ(ValueOf(DType::kFloat8E5M2, 0x7C), kInf);
  EXPECT_EQ(ValueOf(DType::kFloat8E5M2, 0xFC), -kInf);
  for (uint64_t code : {0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF}) {
    EXPECT_TRUE(std::isnan(ValueOf(DType::kFloat8E5M2, code)));
  }
  EXPECT_TRUE(std::isnan(ValueOf(DType::kFloat8E5M2FNUZ, 0x80)));
  EXPECT_EQ(ValueOf(DType::kFloat8E8M0, 0), std::ldexp(1.0, -127));
  EXPECT_EQ(ValueOf(DType::kFloat8E8M0, 127), 1.0);
  EXPECT_EQ(ValueOf(DType::kFloat8E8M0, 254), std::ldexp(1.0, 127));
  EXPECT_TRUE(std::isnan(ValueOf(DType::kFloat8E8M0, 255)));
}

// By the definition of rounding to nearest, ties to even: each value, the middle between it and
// the next one, and the doubles on both sides of the middle.
TEST(ConvertTest, RoundsToNearestEven) {
  for (const NarrowFloat& f : kNarrowFloats) {
    for (uint64_t code = 0; code < f.largest; ++code) {
      const double value = ValueOf(f.dtype, code);
      const double middle = (value + ValueOf(f.dtype, code + 1)) / 2;
      const uint64_t even = code + (code & 1);
      SCOPED_TRACE(::testing::Message() << DTypeName(f.dtype) << " code " << code);
      ASSERT_EQ(Code(f.dtype, value), code);
      ASSERT_EQ(Code(f.dtype, middle), even);
      ASSERT_EQ(Code(f.dtype, std::nextafter(middle, 0)), code);
      ASSERT_EQ(Code(f.dtype, std::nextafter(middle, kInf)), code + 1);
      ASSERT_EQ(Code(f.dtype, static_cast<float>(middle)), even);
      ASSERT_EQ(Code(f.dtype, std::nextafterf(static_cast<float>(middle), HUGE_VALF)), code + 1);
      if (even != 0) {
        ASSERT_EQ(Code(f.dtype, -middle), even | SignBit(f));
      }
    }
  }
}

// float values cast by ml_dtypes 0.6 and NumPy 2 (neither of which saturates).
TEST(ConvertTest, CodesOfMlDtypes) {
  const std::vector<double> values = {
      0.0,     -0.0,    1.0,     -1.0,    3.3f,    17.0,    18.0,    19.0,    239.0,   248.0,
      448.0,   464.0,   465.0,   -1e9f,   57344.0, 61439.0, 61440.0, 65504.0, 65520.0, 0x1p-9,
      0x1p-10, 0x1p-16, 0x1p-17, 0x1p-18, 6e-8f,   2.9e-8f, kInf,    -kInf,   kNan};
  const auto codes = [&](DType dtype) {
    std::vector<uint64_t> doubles, floats;
    for (double x : values) {
      doubles.push_back(Code(dtype, x));
      floats.push_back(Code(dtype, static_cast<float>(x)));
    }
    EXPECT_EQ(doubles, floats);
    return floats;
  };
  EXPECT_THAT(codes(DType::kFloat8E4M3FN),
              ElementsAre(0x0, 0x80, 0x38, 0xb8, 0x45, 0x58, 0x59, 0x5a, 0x77, 0x78, 0x7e, 0x7e,
                          0x7f, 0xff, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x1, 0x0, 0x0, 0x0, 0x0, 0x0,
                          0x0, 0x7f, 0xff, 0x7f));
  EXPECT_THAT(codes(DType::kFloat8E4M3FNUZ),
              ElementsAre(0x0, 0x0, 0x40, 0xc0, 0x4d, 0x60, 0x61, 0x62, 0x7f, 0x80, 0x80, 0x80,
                          0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x2, 0x1, 0x0, 0x0, 0x0, 0x0,
                          0x0, 0x80, 0x80, 0x80));
  EXPECT_THAT(codes(DType::kFloat8E5M2),
              ElementsAre(0x0, 0x80, 0x3c, 0xbc, 0x43, 0x4c, 0x4c, 0x4d, 0x5b, 0x5c, 0x5f, 0x5f,
                          0x5f, 0xfc, 0x7b, 0x7b, 0x7c, 0x7c, 0x7c, 0x18, 0x14, 0x1, 0x0, 0x0, 0x0,
                          0x0, 0x7c, 0xfc, 0x7e));
  EXPECT_THAT(codes(DType::kFloat8E5M2FNUZ),
              ElementsAre(0x0, 0x0, 0x40, 0xc0, 0x47, 0x50, 0x50, 0x51, 0x5f, 0x60, 0x63, 0x63,
                          0x63, 0x80, 0x7f, 0x7f, 0x80, 0x80, 0x80, 0x1c, 0x18, 0x2, 0x1, 0x0, 0x0,
                          0x0, 0x80, 0x80, 0x80));
  EXPECT_THAT(
      codes(DType::kFloat16),
      ElementsAre(0x0, 0x8000, 0x3c00, 0xbc00, 0x429a, 0x4c40, 0x4c80, 0x4cc0, 0x5b78, 0x5bc0,
                  0x5f00, 0x5f40, 0x5f44, 0xfc00, 0x7b00, 0x7b80, 0x7b80, 0x7bff, 0x7c00, 0x1800,
                  0x1400, 0x100, 0x80, 0x40, 0x1, 0x0, 0x7c00, 0xfc00, 0x7e00));
  EXPECT_THAT(
      codes(DType::kBfloat16),
      ElementsAre(0x0, 0x8000, 0x3f80, 0xbf80, 0x4053, 0x4188, 0x4190, 0x4198, 0x436f, 0x4378,
                  0x43e0, 0x43e8, 0x43e8, 0xce6e, 0x4760, 0x4770, 0x4770, 0x4780, 0x4780, 0x3b00,
                  0x3a80, 0x3780, 0x3700, 0x3680, 0x3381, 0x32f9, 0x7f80, 0xff80, 0x7fc0));
  EXPECT_THAT(codes(DType::kFloat4E2M1),
              ElementsAre(0x0, 0x8, 0x2, 0xa, 0x5, 0x7, 0x7, 0x7, 0x7, 0x7, 0x7, 0x7, 0x7, 0xf, 0x7,
                          0x7, 0x7, 0x7, 0x7, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x7, 0xf, 0x8));
}

// The table of Cast-24's documentation, saturate = 1.
TEST(ConvertTest, Float8Saturates) {
  for (const NarrowFloat& f : kNarrowFloats) {
    if (f.dtype == DType::kFloat16 || f.dtype == DType::kBfloat16) {
      continue;
    }
    EXPECT_EQ(Code(f.dtype, kInf, Overflow::kSaturate), f.largest) << DTypeName(f.dtype);
    EXPECT_EQ(Code(f.dtype, -kInf, Overflow::kSaturate), f.largest | SignBit(f));
    EXPECT_EQ(Code(f.dtype, 1e300, Overflow::kSaturate), f.largest);
    EXPECT_EQ(Code(f.dtype, -1e30f, Overflow::kSaturate), f.largest | SignBit(f));
  }
  EXPECT_TRUE(std::isnan(RoundTo(DType::kFloat8E4M3FN, kNan, Overflow::kSaturate)));
  EXPECT_TRUE(std::isnan(RoundTo(DType::kFloat8E5M2FNUZ, kNan, Overflow::kSaturate)));
  EXPECT_EQ(RoundTo(DType::kFloat16, 1e6, Overflow::kSaturate), kInf);
}

// The table of Cast-24's documentation for float8e8m0 with round_mode nearest, ties up.
TEST(ConvertTest, Float8E8M0) {
  EXPECT_EQ(Code(DType::kFloat8E8M0, 1.0), 127u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, 1.49), 127u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, 1.5f), 128u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, 0x1p-127), 0u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, 0x1p-127f), 0u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, 0x1p127f), 254u);
  for (double x : {0.0, 0x1p-130, 0x1p129, kInf, kNan, -2.0}) {
    EXPECT_EQ(Code(DType::kFloat8E8M0, x), 255u) << x;
  }
  EXPECT_EQ(Code(DType::kFloat8E8M0, 0.0, Overflow::kSaturate), 0u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, -0.0, Overflow::kSaturate), 0u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, 0x1p-130, Overflow::kSaturate), 0u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, kInf, Overflow::kSaturate), 254u);
  EXPECT_EQ(Code(DType::kFloat8E8M0, kNan, Overflow::kSaturate), 255u);
}

// One rounding: through float these would be ties, and round to the even neighbour below.
TEST(ConvertTest, WideTypesRoundOnce) {
  EXPECT_EQ(Code(DType::kBfloat16, 1 + 0x1p-8 + 0x1p-40), 0x3f81u);
  EXPECT_EQ(Code(DType::kFloat8E4M3FN, 1 + 0x1p-4 + 0x1p-40), 0x39u);
  // 2^62 + 2^54 is the middle of two bfloat16; one more is no double.
  const int64_t middle = (int64_t{1} << 62) + (int64_t{1} << 54);
  EXPECT_EQ(Code(DType::kBfloat16, middle), 0x5e80u);
  EXPECT_EQ(Code(DType::kBfloat16, middle + 1), 0x5e81u);
  EXPECT_EQ(Code(DType::kBfloat16, -middle - 1), 0xde81u);
  EXPECT_EQ(Code(DType::kBfloat16, std::numeric_limits<int64_t>::min()), 0xdf00u);
  EXPECT_EQ(Code(DType::kFloat, (int64_t{1} << 53) + 1), std::bit_cast<uint32_t>(0x1p53f));
}

// A whole packet of halves and the tail after it are converted by different instructions.
TEST(ConvertTest, HalvesOfEveryLength) {
  for (int64_t count = 0; count <= 19; ++count) {
    std::vector<float> values(static_cast<size_t>(count), 0x1.ffdffep-1f);
    std::vector<uint16_t> halves(static_cast<size_t>(count) + 1, 0xAAAA);
    StoreElements(DType::kFloat16, values.data(), count,
                  reinterpret_cast<std::byte*>(halves.data()), 0);
    EXPECT_EQ(halves.back(), 0xAAAA);
    halves.pop_back();
    EXPECT_THAT(halves, ::testing::Each(0x3BFF));
    std::vector<float> back(static_cast<size_t>(count));
    LoadElements(DType::kFloat16, reinterpret_cast<const std::byte*>(halves.data()), 0, count,
                 back.data());
    EXPECT_THAT(back, ::testing::Each(0x1.ffcp-1f));
  }
}

// Doubles that are no floats are rounded by themselves, and alone or among others to the same.
TEST(ConvertTest, DoublesBecomeHalvesByOneRounding) {
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) values.push_back((i - 150) * 0x1.23p-5);
  values[70] = 1 + 0x1p-11 + 0x1p-40;  // by way of a float it would be a tie
  values[71] = 1 + 0x1p-11;
  values[200] = kNan;
  values[201] = -kInf;
  values[260] = 1e300;
  values[261] = 0x1p-24 * (1 - 0x1p-30);
  values[262] = -0.0;
  const auto count = static_cast<int64_t>(values.size());
  std::vector<uint16_t> halves(values.size());
  StoreElements(DType::kFloat16, values.data(), count, reinterpret_cast<std::byte*>(halves.data()),
                0);
  std::vector<double> back(values.size());
  LoadElements(DType::kFloat16, reinterpret_cast<const std::byte*>(halves.data()), 0, count,
               back.data());
  EXPECT_EQ(halves[70], 0x3c01);
  EXPECT_EQ(halves[71], 0x3c00);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(halves[i], EncodeNarrow(kFloat16Format, values[i], Overflow::kIeee)) << i;
    const double decoded = DecodeNarrow(kFloat16Format, halves[i]);
    EXPECT_TRUE(back[i] == decoded || (std::isnan(back[i]) && std::isnan(decoded))) << i;
  }
}

TEST(ConvertTest, PackedTypesStartWithTheLowBits) {
  EXPECT_THAT(Load<int64_t>(DType::kInt4, {0x71, 0xF8}, 0, 4), ElementsAre(1, 7, -8, -1));
  EXPECT_THAT(Load<uint64_t>(DType::kUint4, {0x71, 0xF8}, 1, 3), ElementsAre(7, 8, 15));
  EXPECT_THAT(Load<int64_t>(DType::kInt2, {0b11100100}, 0, 4), ElementsAre(0, 1, -2, -1));
  EXPECT_THAT(Load<float>(DType::kUint2, {0b11100100, 0b01}, 2, 3), ElementsAre(2, 3, 1));
  EXPECT_THAT(Load<float>(DType::kFloat4E2M1, {0x21, 0xF8}, 0, 4), ElementsAre(0.5, 1, 0, -6));
  EXPECT_THAT(Load<int64_t>(DType::kInt4, {0x71, 0xF8}, 3, 2, -3), ElementsAre(-1, 1));
  // 0x08, 0x1F, 0x21 and 0x18, then 0x3F (onnx.proto: 24 bits for four elements).
  EXPECT_THAT(Load<float>(DType::kFloat6E2M3, {0xC8, 0x17, 0x62, 0x3F}, 0, 5),
              ElementsAre(1, 7.5, -0.125, 4, -7.5));
  EXPECT_THAT(Load<float>(DType::kFloat6E3M2, {0xC8, 0x17, 0x62, 0x3F}, 3, 2, -2),
              ElementsAre(8, 28));
  EXPECT_THAT(Load<int64_t>(DType::kInt4, {0x71}, 1, 3, 0), ElementsAre(7, 7, 7));
}

TEST(ConvertTest, StoringPackedElementsKeepsNeighbours) {
  std::vector<uint8_t> bytes = {0xAB, 0xCD};
  const std::vector<int64_t> values = {1, -2};
  StoreElements(DType::kInt4, values.data(), 2, reinterpret_cast<std::byte*>(bytes.data()), 1);
  EXPECT_THAT(bytes, ElementsAre(0x1B, 0xCE));
  StoreElements(DType::kUint2, values.data(), 1, reinterpret_cast<std::byte*>(bytes.data()), 5);
  EXPECT_THAT(bytes, ElementsAre(0x1B, 0xC6));
}

TEST(ConvertTest, IntegersWrapOrSaturate) {
  EXPECT_EQ(Code<int64_t>(DType::kInt8, 200), 0xC8u);
  EXPECT_EQ(Code<int64_t>(DType::kInt8, 200, Overflow::kSaturate), 0x7Fu);
  EXPECT_EQ(Code<int64_t>(DType::kInt8, -200, Overflow::kSaturate), 0x80u);
  EXPECT_EQ(Code<int64_t>(DType::kUint8, -1, Overflow::kSaturate), 0u);
  EXPECT_EQ(Code<uint64_t>(DType::kInt64, ~uint64_t{0}, Overflow::kSaturate),
            uint64_t{0x7FFFFFFFFFFFFFFF});
  EXPECT_EQ(Code<int64_t>(DType::kUint64, -1), ~uint64_t{0});
  EXPECT_EQ(Code<int64_t>(DType::kInt4, 8), 0x8u);
  EXPECT_EQ(Code<int64_t>(DType::kInt4, 8, Overflow::kSaturate), 0x7u);
  EXPECT_EQ(Code<float>(DType::kInt4, -9.0f), 0x7u);  // as ONNX's test_cast_FLOAT_to_INT4
  EXPECT_EQ(Code<float>(DType::kInt2, -3.0f), 0x1u);
  EXPECT_EQ(Code<float>(DType::kUint2, 9.0f, Overflow::kSaturate), 0x3u);
}

TEST(ConvertTest, FloatsToIntegersTruncate) {
  EXPECT_EQ(Code(DType::kInt32, -2.9f), 0xFFFFFFFEu);
  EXPECT_EQ(Code(DType::kInt32, -2147483648.9), 0x80000000u);
  EXPECT_EQ(Code(DType::kInt32, 3e9f), 0x80000000u);
  EXPECT_EQ(Code(DType::kInt32, kNan), 0x80000000u);
  EXPECT_EQ(Code(DType::kUint32, 3e9f), 3000000000u);
  EXPECT_EQ(Code(DType::kUint32, -1.0f), 0xFFFFFFFFu);
  EXPECT_EQ(Code(DType::kUint64, 1e19), 10000000000000000000u);
  EXPECT_EQ(Code(DType::kUint64, -1.0), ~uint64_t{0});
  EXPECT_EQ(Code(DType::kInt64, kInf), uint64_t{1} << 63);
  EXPECT_EQ(Code(DType::kInt16, kInf), 0u);
  EXPECT_EQ(Code(DType::kInt32, 3e9f, Overflow::kSaturate), 0x7FFFFFFFu);
  EXPECT_EQ(Code(DType::kInt64, 1e30f, Overflow::kSaturate), uint64_t{0x7FFFFFFFFFFFFFFF});
  EXPECT_EQ(Code(DType::kUint8, kNan, Overflow::kSaturate), 0u);
  EXPECT_EQ(Code(DType::kUint8, -kInf, Overflow::kSaturate), 0u);
}

TEST(ConvertTest, BoolsAndComplexNumbers) {
  EXPECT_THAT(Load<bool>(DType::kFloat, {0, 0, 0, 0x80, 1, 0, 0, 0, 0, 0, 0xC0, 0x7F}, 0, 3),
              ElementsAre(false, true, true));  // -0, a denormal, NaN
  EXPECT_THAT(Load<bool>(DType::kInt8, {0, 4, 0xFF}, 0, 3), ElementsAre(false, true, true));
  EXPECT_THAT(Load<int64_t>(DType::kBool, {0, 1, 7}, 0, 3), ElementsAre(0, 1, 1));
  const std::complex<double> z(1.5, -2);
  std::complex<float> stored;
  StoreElements(DType::kComplex64, &z, 1, reinterpret_cast<std::byte*>(&stored), 0);
  EXPECT_EQ(stored, std::complex<float>(1.5f, -2));
  EXPECT_EQ(Code(DType::kInt8, z), 1u);
  EXPECT_EQ(Code(DType::kBool, std::complex<double>(0, 1)), 1u);
  const double real = 2.5;
  std::complex<double> from_real;
  StoreElements(DType::kComplex128, &real, 1, reinterpret_cast<std::byte*>(&from_real), 0);
  EXPECT_EQ(from_real, std::complex<double>(2.5, 0));
}

TEST(ConvertTest, Int64StaysExact) {
  const std::vector<int64_t> values = {(int64_t{1} << 53) + 1, std::numeric_limits<int64_t>::min()};
  std::vector<int64_t> stored(2), loaded(2);
  StoreElements(DType::kInt64, values.data(), 2, reinterpret_cast<std::byte*>(stored.data()), 0);
  LoadElements(DType::kInt64, reinterpret_cast<const std::byte*>(stored.data()), 0, 2,
               loaded.data());
  EXPECT_THAT(loaded, ElementsAreArray(values));
}

TEST(DTypeTest, FactsOfTypes) {
  EXPECT_EQ(BitWidth(DType::kInt2), 2);
  EXPECT_EQ(BitWidth(DType::kComplex128), 128);
  EXPECT_EQ(DTypeName(DType::kFloat8E8M0), "float8e8m0");
  EXPECT_EQ(NumpyName(DType::kFloat), "float32");
  EXPECT_EQ(DTypeFromName("float"), DType::kFloat);
  EXPECT_EQ(DTypeFromName("float32"), std::nullopt);
  EXPECT_EQ(IntegerMin(DType::kInt4), -8);
  EXPECT_EQ(IntegerMax(DType::kInt4), 7u);
  EXPECT_EQ(IntegerMin(DType::kInt64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(IntegerMax(DType::kUint64), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(IntegerMin(DType::kUint8), 0);
  EXPECT_EQ(ByteSize(DType::kInt4, 3), 2);
  EXPECT_EQ(ByteSize(DType::kUint2, 5), 2);
  EXPECT_EQ(ByteSize(DType::kFloat, -1), std::nullopt);
  EXPECT_EQ(ByteSize(DType::kDouble, std::numeric_limits<int64_t>::max() / 4), std::nullopt);
  EXPECT_EQ(ByteSize(DType::kInt4, std::numeric_limits<int64_t>::max()), int64_t{1} << 62);
}

}  // namespace
}  // namespace onnxcmp

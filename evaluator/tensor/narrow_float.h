// The meaning of the bits of the floating-point types of 16 bits and less.
#ifndef ONNXCMP_EVALUATOR_TENSOR_NARROW_FLOAT_H_
#define ONNXCMP_EVALUATOR_TENSOR_NARROW_FLOAT_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// A sign bit, exponent bits and mantissa bits; value = mantissa * 2^(exponent - bias).
struct NarrowFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  uint16_t max_code;   // the largest finite value
  uint16_t infinity;   // 0: there is none
  uint16_t nan;        // a quiet one; float4 and float6, which have none, give -0 (ONNX's tests)
  bool negative_zero;  // false for "uz" types, whose code of -0 is their NaN
  bool finite_only = false;  // neither infinity nor NaN: always saturates

  constexpr uint16_t sign_bit() const {
    return static_cast<uint16_t>(1u << (exponent_bits + mantissa_bits));
  }
};

inline constexpr NarrowFormat kFloat16Format{5, 10, 15, 0x7BFF, 0x7C00, 0x7E00, true};
inline constexpr NarrowFormat kBfloat16Format{8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0, true};
inline constexpr NarrowFormat kE4M3FNFormat{4, 3, 7, 0x7E, 0, 0x7F, true};
inline constexpr NarrowFormat kE4M3FNUZFormat{4, 3, 8, 0x7F, 0, 0x80, false};
inline constexpr NarrowFormat kE5M2Format{5, 2, 15, 0x7B, 0x7C, 0x7E, true};
inline constexpr NarrowFormat kE5M2FNUZFormat{5, 2, 16, 0x7F, 0, 0x80, false};
inline constexpr NarrowFormat kE2M3Format{2, 3, 1, 0x1F, 0, 0x20, true, true};
inline constexpr NarrowFormat kE3M2Format{3, 2, 3, 0x1F, 0, 0x20, true, true};
inline constexpr NarrowFormat kE2M1Format{2, 1, 1, 0x7, 0, 0x8, true, true};

// 2^exponent, for the exponents of normal doubles.
constexpr double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// The value of a code. All of them are exact in float.
constexpr float DecodeNarrow(const NarrowFormat& format, uint16_t code) {
  const bool negative = (code & format.sign_bit()) != 0;
  const uint16_t magnitude = static_cast<uint16_t>(code & (format.sign_bit() - 1));
  if (!format.negative_zero && code == format.nan) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (magnitude > format.max_code) {
    const float special = magnitude == format.infinity ? std::numeric_limits<float>::infinity()
                                                       : std::numeric_limits<float>::quiet_NaN();
    return negative ? -special : special;
  }
  const int exponent = magnitude >> format.mantissa_bits;
  const int fraction = magnitude & ((1 << format.mantissa_bits) - 1);
  const int significand = exponent == 0 ? fraction : fraction + (1 << format.mantissa_bits);
  const double value =
      significand * PowerOfTwo((exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits);
  return static_cast<float>(negative ? -value : value);
}

// The code nearest to `value`, ties to the even code.
inline uint16_t EncodeNarrow(const NarrowFormat& format, double value, Overflow overflow) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint16_t sign = (bits >> 63) != 0 ? format.sign_bit() : uint16_t{0};
  const auto with_sign = [&](uint16_t code) {
    return static_cast<uint16_t>(format.negative_zero ? code | sign : code);
  };
  if (std::isnan(value)) {
    return with_sign(format.nan);
  }
  const double magnitude = std::fabs(value);
  const int min_exponent = 1 - format.bias;
  // Denormal doubles have an exponent far below every format's least one.
  const int exponent = std::max(static_cast<int>((bits >> 52) & 0x7FF) - 1023, min_exponent);
  uint64_t code = 0;
  if (exponent > format.bias + 1) {
    code = uint64_t{format.max_code} + 1;
  } else {
    // Scaling by a power of two is exact, so this is the only rounding. Codes grow by one from
    // value to value, over the denormals and from binade to binade.
    const double units = std::nearbyint(magnitude * PowerOfTwo(format.mantissa_bits - exponent));
    code = (static_cast<uint64_t>(exponent - min_exponent) << format.mantissa_bits) +
           static_cast<uint64_t>(units);
  }
  if (code > format.max_code) {
    if (overflow == Overflow::kSaturate || format.finite_only) {
      code = format.max_code;
    } else {
      return with_sign(format.infinity != 0 ? format.infinity : format.nan);
    }
  }
  if (code == 0) {
    return with_sign(0);
  }
  return static_cast<uint16_t>(code | sign);
}

// float8e8m0: 2^(code - 127), 255 is NaN; no sign, no zero.
inline float DecodeE8M0(uint8_t code) {
  return code == 255 ? std::numeric_limits<float>::quiet_NaN()
                     : static_cast<float>(PowerOfTwo(code - 127));
}

// The nearest power of two, ties up. Where the standard leaves it open: negative values are NaN.
inline uint8_t EncodeE8M0(double value, Overflow overflow) {
  constexpr uint8_t kNan = 255;
  const bool saturate = overflow == Overflow::kSaturate;
  if (std::isnan(value) || value < 0) {
    return kNan;
  }
  const uint64_t bits = std::bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63);
  // Half a unit of the exponent carries into it from a mantissa of 1.5 on.
  const int exponent = static_cast<int>((bits + (uint64_t{1} << 51)) >> 52) - 1023;
  if (exponent < -127) {
    return saturate ? 0 : kNan;
  }
  if (exponent > 127) {
    return saturate ? 254 : kNan;
  }
  return static_cast<uint8_t>(exponent + 127);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_NARROW_FLOAT_H_

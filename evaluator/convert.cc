#include "evaluator/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "evaluator/narrow_float.h"

namespace onnxcmp {
namespace {

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<double>>;

// ---- a number of one type to another ----

// Truncates as the processor's conversion instruction does (and so NumPy and onnxruntime on x86):
// NaN and whatever does not fit give the least value. ONNX leaves it undefined.
template <typename Float>
int32_t TruncateToInt32(Float x) {
  const bool fits =
      x < Float{2147483648.0} &&
      (std::is_same_v<Float, float> ? x >= Float(-2147483648.0) : x > Float(-2147483649.0));
  return fits ? static_cast<int32_t>(x) : std::numeric_limits<int32_t>::min();
}
template <typename Float>
int64_t TruncateToInt64(Float x) {
  const bool fits = x < Float{9223372036854775808.0} && x >= Float{-9223372036854775808.0};
  return fits ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}
template <typename Float>
uint64_t TruncateToUint64(Float x) {
  if (x >= Float{9223372036854775808.0} && x < Float{18446744073709551616.0}) {
    return static_cast<uint64_t>(x);
  }
  return static_cast<uint64_t>(TruncateToInt64(x));
}

// T: bool, an integer, float, double, std::complex<double>.
template <typename T, typename From>
T To(From x) {
  if constexpr (std::is_same_v<T, From>) {
    return x;
  } else if constexpr (std::is_same_v<T, bool>) {
    return x != From{};
  } else if constexpr (kIsComplex<From>) {
    return To<T>(x.real());
  } else if constexpr (kIsComplex<T>) {
    return T(static_cast<double>(x), 0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<T>) {
    if constexpr (std::is_same_v<T, uint64_t>) {
      return TruncateToUint64(x);
    } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint32_t>) {
      return static_cast<T>(TruncateToInt64(x));
    } else {
      return static_cast<T>(TruncateToInt32(x));
    }
  } else {
    return static_cast<T>(x);
  }
}

// The integer in [least, greatest] nearest to x truncated; NaN is 0.
template <typename T, typename From>
T Saturate(From x, T least, T greatest) {
  if constexpr (kIsComplex<From>) {
    return Saturate<T>(x.real(), least, greatest);
  } else if constexpr (std::is_floating_point_v<From>) {
    // The float next to `greatest` may lie above it, where the cast would overflow.
    if (x >= static_cast<From>(greatest)) {
      return greatest;
    }
    if (x <= static_cast<From>(least)) {
      return least;
    }
    return std::isnan(x) ? T{0} : static_cast<T>(x);
  } else if constexpr (std::is_same_v<From, bool>) {
    return static_cast<T>(x);
  } else if constexpr (std::is_same_v<From, uint64_t>) {
    return x > static_cast<uint64_t>(greatest) ? greatest : static_cast<T>(x);
  } else {
    if (x < 0) {
      return std::is_unsigned_v<T> || x < static_cast<int64_t>(least) ? least : static_cast<T>(x);
    }
    return static_cast<uint64_t>(x) > static_cast<uint64_t>(greatest) ? greatest
                                                                      : static_cast<T>(x);
  }
}

// A double that every narrow float rounds to as it would round x. Integers beyond 53 bits are
// rounded to odd, which keeps the later rounding from being a second one.
template <typename From>
double WidestOf(From x) {
  if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
    const bool negative = x < From{0};
    uint64_t magnitude = negative ? ~static_cast<uint64_t>(x) + 1 : static_cast<uint64_t>(x);
    constexpr uint64_t kDropped = (uint64_t{1} << 11) - 1;
    if (magnitude >> 53 != 0 && (magnitude & kDropped) != 0) {
      magnitude = (magnitude & ~kDropped) | (kDropped + 1);
    }
    const double rounded = static_cast<double>(magnitude);
    return negative ? -rounded : rounded;
  } else {
    return To<double>(x);
  }
}

// ---- narrow floats ----

template <const NarrowFormat& kFormat, size_t kCodes>
constexpr std::array<float, kCodes> DecodingTable() {
  std::array<float, kCodes> table{};
  for (size_t code = 0; code < kCodes; ++code) {
    table[code] = DecodeNarrow(kFormat, static_cast<uint16_t>(code));
  }
  return table;
}
template <const NarrowFormat& kFormat>
inline constexpr auto kDecoded = DecodingTable<kFormat, size_t{2} * kFormat.sign_bit()>();

float HalfToFloat(uint16_t half) {
#ifdef __F16C__
  return _cvtsh_ss(half);
#else
  return DecodeNarrow(kFloat16Format, half);
#endif
}

uint16_t FloatToHalf(float x) {
#ifdef __F16C__
  return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
#else
  return EncodeNarrow(kFloat16Format, x, Overflow::kIeee);
#endif
}

void HalvesToFloats(const uint16_t* halves, int64_t count, float* out) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    const __m128i packet = _mm_loadu_si128(reinterpret_cast<const __m128i*>(halves + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(packet));
  }
#endif
  for (; i < count; ++i) {
    out[i] = HalfToFloat(halves[i]);
  }
}

void FloatsToHalves(const float* values, int64_t count, uint16_t* out) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(values + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < count; ++i) {
    out[i] = FloatToHalf(values[i]);
  }
}

uint16_t FloatToBfloat16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet_nan : rounded);
}

// The 16-bit types overflow to infinity whatever is asked: saturation is of float8 and float4.
template <typename C>
uint16_t ToHalf(C x) {
  if constexpr (std::is_same_v<C, float>) {
    return FloatToHalf(x);
  } else {
    return EncodeNarrow(kFloat16Format, WidestOf(x), Overflow::kIeee);
  }
}
template <typename C>
uint16_t ToBfloat16(C x) {
  if constexpr (std::is_same_v<C, float>) {
    return FloatToBfloat16(x);
  } else {
    return EncodeNarrow(kBfloat16Format, WidestOf(x), Overflow::kIeee);
  }
}

// ---- loops over elements ----

template <typename T>
const T* As(const std::byte* data) {
  return reinterpret_cast<const T*>(data);
}

// out[i] = get(first + i * stride). The loop with stride 1 is apart so that it is vectorised.
template <typename C, typename Get>
void Fill(int64_t first, int64_t stride, int64_t count, C* out, Get get) {
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = To<C>(get(first + i));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = To<C>(get(first + i * stride));
    }
  }
}

template <typename Storage, typename C>
void LoadPlain(const std::byte* data, int64_t first, int64_t stride, int64_t count, C* out) {
  const Storage* elements = As<Storage>(data);
  if constexpr (std::is_same_v<Storage, C>) {
    if (stride == 1) {
      std::memcpy(static_cast<void*>(out), elements + first,
                  static_cast<size_t>(count) * sizeof(C));
      return;
    }
  }
  Fill(first, stride, count, out, [=](int64_t i) { return elements[i]; });
}

template <typename C>
void LoadHalves(const std::byte* data, int64_t first, int64_t stride, int64_t count, C* out) {
  const uint16_t* elements = As<uint16_t>(data);
  if constexpr (std::is_same_v<C, float>) {
    if (stride == 1) {
      HalvesToFloats(elements + first, count, out);
      return;
    }
  }
  Fill(first, stride, count, out, [=](int64_t i) { return HalfToFloat(elements[i]); });
}

// The bits of element i of a packed type.
template <int kBits>
uint8_t PackedBits(const uint8_t* bytes, int64_t i) {
  constexpr int kPerByte = 8 / kBits;
  const int shift = static_cast<int>(i % kPerByte) * kBits;
  return static_cast<uint8_t>((bytes[i / kPerByte] >> shift) & ((1 << kBits) - 1));
}

template <int kBits>
int32_t SignExtended(uint8_t bits) {
  constexpr int kSign = 1 << (kBits - 1);
  return (bits ^ kSign) - kSign;
}

template <int kBits>
void SetPackedBits(uint8_t* bytes, int64_t i, uint8_t bits) {
  constexpr int kPerByte = 8 / kBits;
  constexpr int kMask = (1 << kBits) - 1;
  const int shift = static_cast<int>(i % kPerByte) * kBits;
  uint8_t& byte = bytes[i / kPerByte];
  byte = static_cast<uint8_t>((byte & ~(kMask << shift)) | ((bits & kMask) << shift));
}

template <typename Storage, typename C>
void StorePlain(const C* values, int64_t count, std::byte* data, int64_t first, Overflow overflow) {
  Storage* out = reinterpret_cast<Storage*>(data) + first;
  if constexpr (std::is_same_v<Storage, C>) {
    std::memcpy(static_cast<void*>(out), values, static_cast<size_t>(count) * sizeof(C));
  } else if constexpr (std::is_integral_v<Storage> && !std::is_same_v<Storage, bool>) {
    if (overflow == Overflow::kSaturate) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] = Saturate<Storage>(values[i], std::numeric_limits<Storage>::min(),
                                   std::numeric_limits<Storage>::max());
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      out[i] = To<Storage>(values[i]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = To<Storage>(values[i]);
    }
  }
}

template <typename C>
void StoreComplex64(const C* values, int64_t count, std::byte* data, int64_t first) {
  std::complex<float>* out = reinterpret_cast<std::complex<float>*>(data) + first;
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (kIsComplex<C>) {
      out[i] = {static_cast<float>(values[i].real()), static_cast<float>(values[i].imag())};
    } else {
      out[i] = {To<float>(values[i]), 0.0f};
    }
  }
}

template <typename C, typename Encode>
void StoreBytes(const C* values, int64_t count, std::byte* data, int64_t first, Encode encode) {
  uint8_t* out = reinterpret_cast<uint8_t*>(data) + first;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<uint8_t>(encode(values[i]));
  }
}

template <const NarrowFormat& kFormat, typename C>
void StoreFloat8(const C* values, int64_t count, std::byte* data, int64_t first,
                 Overflow overflow) {
  StoreBytes(values, count, data, first,
             [=](C x) { return EncodeNarrow(kFormat, WidestOf(x), overflow); });
}

template <int kBits, typename T, typename C>
void StorePackedInteger(DType dtype, const C* values, int64_t count, std::byte* data, int64_t first,
                        Overflow overflow) {
  uint8_t* bytes = reinterpret_cast<uint8_t*>(data);
  const T least = static_cast<T>(IntegerMin(dtype));
  const T greatest = static_cast<T>(IntegerMax(dtype));
  for (int64_t i = 0; i < count; ++i) {
    const T x = overflow == Overflow::kSaturate ? Saturate<T>(values[i], least, greatest)
                                                : To<T>(values[i]);
    SetPackedBits<kBits>(bytes, first + i, static_cast<uint8_t>(x));
  }
}

}  // namespace

template <typename C>
void LoadStrided(DType dtype, const std::byte* data, int64_t first, int64_t stride, int64_t count,
                 C* out) {
  const uint8_t* bytes = As<uint8_t>(data);
  const auto load_float8 = [&](const auto& table) {
    Fill(first, stride, count, out, [&](int64_t i) { return table[bytes[i]]; });
  };
  if (count <= 0) {
    return;
  }
  switch (dtype) {
    case DType::kUndefined:
    case DType::kString:
      return;
    case DType::kFloat:
      return LoadPlain<float>(data, first, stride, count, out);
    case DType::kDouble:
      return LoadPlain<double>(data, first, stride, count, out);
    case DType::kUint8:
      return LoadPlain<uint8_t>(data, first, stride, count, out);
    case DType::kInt8:
      return LoadPlain<int8_t>(data, first, stride, count, out);
    case DType::kUint16:
      return LoadPlain<uint16_t>(data, first, stride, count, out);
    case DType::kInt16:
      return LoadPlain<int16_t>(data, first, stride, count, out);
    case DType::kUint32:
      return LoadPlain<uint32_t>(data, first, stride, count, out);
    case DType::kInt32:
      return LoadPlain<int32_t>(data, first, stride, count, out);
    case DType::kUint64:
      return LoadPlain<uint64_t>(data, first, stride, count, out);
    case DType::kInt64:
      return LoadPlain<int64_t>(data, first, stride, count, out);
    case DType::kBool:
      return Fill(first, stride, count, out, [=](int64_t i) { return bytes[i] != 0; });
    case DType::kFloat16:
      return LoadHalves(data, first, stride, count, out);
    case DType::kBfloat16: {
      const uint16_t* elements = As<uint16_t>(data);
      return Fill(first, stride, count, out, [=](int64_t i) {
        return std::bit_cast<float>(static_cast<uint32_t>(elements[i]) << 16);
      });
    }
    case DType::kComplex64: {
      const auto* elements = As<std::complex<float>>(data);
      return Fill(first, stride, count, out, [=](int64_t i) {
        return std::complex<double>(elements[i].real(), elements[i].imag());
      });
    }
    case DType::kComplex128:
      return LoadPlain<std::complex<double>>(data, first, stride, count, out);
    case DType::kFloat8E4M3FN:
      return load_float8(kDecoded<kE4M3FNFormat>);
    case DType::kFloat8E4M3FNUZ:
      return load_float8(kDecoded<kE4M3FNUZFormat>);
    case DType::kFloat8E5M2:
      return load_float8(kDecoded<kE5M2Format>);
    case DType::kFloat8E5M2FNUZ:
      return load_float8(kDecoded<kE5M2FNUZFormat>);
    case DType::kFloat8E8M0:
      return Fill(first, stride, count, out, [=](int64_t i) { return DecodeE8M0(bytes[i]); });
    case DType::kFloat4E2M1:
      return Fill(first, stride, count, out,
                  [=](int64_t i) { return kDecoded<kE2M1Format>[PackedBits<4>(bytes, i)]; });
    case DType::kUint4:
      return Fill(first, stride, count, out, [=](int64_t i) { return PackedBits<4>(bytes, i); });
    case DType::kInt4:
      return Fill(first, stride, count, out,
                  [=](int64_t i) { return SignExtended<4>(PackedBits<4>(bytes, i)); });
    case DType::kUint2:
      return Fill(first, stride, count, out, [=](int64_t i) { return PackedBits<2>(bytes, i); });
    case DType::kInt2:
      return Fill(first, stride, count, out,
                  [=](int64_t i) { return SignExtended<2>(PackedBits<2>(bytes, i)); });
  }
}

template <typename C>
void LoadElements(DType dtype, const std::byte* data, int64_t first, int64_t count, C* out) {
  LoadStrided(dtype, data, first, 1, count, out);
}

template <typename C>
void StoreElements(DType dtype, const C* values, int64_t count, std::byte* data, int64_t first,
                   Overflow overflow) {
  if (count <= 0) {
    return;
  }
  switch (dtype) {
    case DType::kUndefined:
    case DType::kString:
      return;
    case DType::kFloat:
      return StorePlain<float>(values, count, data, first, overflow);
    case DType::kDouble:
      return StorePlain<double>(values, count, data, first, overflow);
    case DType::kUint8:
      return StorePlain<uint8_t>(values, count, data, first, overflow);
    case DType::kInt8:
      return StorePlain<int8_t>(values, count, data, first, overflow);
    case DType::kUint16:
      return StorePlain<uint16_t>(values, count, data, first, overflow);
    case DType::kInt16:
      return StorePlain<int16_t>(values, count, data, first, overflow);
    case DType::kUint32:
      return StorePlain<uint32_t>(values, count, data, first, overflow);
    case DType::kInt32:
      return StorePlain<int32_t>(values, count, data, first, overflow);
    case DType::kUint64:
      return StorePlain<uint64_t>(values, count, data, first, overflow);
    case DType::kInt64:
      return StorePlain<int64_t>(values, count, data, first, overflow);
    case DType::kBool:
      return StorePlain<bool>(values, count, data, first, overflow);
    case DType::kComplex64:
      return StoreComplex64(values, count, data, first);
    case DType::kComplex128:
      return StorePlain<std::complex<double>>(values, count, data, first, overflow);
    case DType::kFloat16: {
      uint16_t* out = reinterpret_cast<uint16_t*>(data) + first;
      if constexpr (std::is_same_v<C, float>) {
        return FloatsToHalves(values, count, out);
      } else {
        std::transform(values, values + count, out, [](C x) { return ToHalf(x); });
        return;
      }
    }
    case DType::kBfloat16:
      std::transform(values, values + count, reinterpret_cast<uint16_t*>(data) + first,
                     [](C x) { return ToBfloat16(x); });
      return;
    case DType::kFloat8E4M3FN:
      return StoreFloat8<kE4M3FNFormat>(values, count, data, first, overflow);
    case DType::kFloat8E4M3FNUZ:
      return StoreFloat8<kE4M3FNUZFormat>(values, count, data, first, overflow);
    case DType::kFloat8E5M2:
      return StoreFloat8<kE5M2Format>(values, count, data, first, overflow);
    case DType::kFloat8E5M2FNUZ:
      return StoreFloat8<kE5M2FNUZFormat>(values, count, data, first, overflow);
    case DType::kFloat8E8M0:
      return StoreBytes(values, count, data, first,
                        [=](C x) { return EncodeE8M0(WidestOf(x), overflow); });
    case DType::kFloat4E2M1: {
      uint8_t* bytes = reinterpret_cast<uint8_t*>(data);
      for (int64_t i = 0; i < count; ++i) {
        SetPackedBits<4>(
            bytes, first + i,
            static_cast<uint8_t>(EncodeNarrow(kE2M1Format, WidestOf(values[i]), overflow)));
      }
      return;
    }
    case DType::kUint4:
      return StorePackedInteger<4, uint8_t>(dtype, values, count, data, first, overflow);
    case DType::kInt4:
      return StorePackedInteger<4, int8_t>(dtype, values, count, data, first, overflow);
    case DType::kUint2:
      return StorePackedInteger<2, uint8_t>(dtype, values, count, data, first, overflow);
    case DType::kInt2:
      return StorePackedInteger<2, int8_t>(dtype, values, count, data, first, overflow);
  }
}

double RoundTo(DType dtype, double value, Overflow overflow) {
  alignas(16) std::byte storage[16] = {};
  double rounded = value;
  StoreElements(dtype, &value, 1, storage, 0, overflow);
  LoadElements(dtype, storage, 0, 1, &rounded);
  return rounded;
}

#define ONNXCMP_INSTANTIATE(C)                                                          \
  template void LoadElements<C>(DType, const std::byte*, int64_t, int64_t, C*);         \
  template void LoadStrided<C>(DType, const std::byte*, int64_t, int64_t, int64_t, C*); \
  template void StoreElements<C>(DType, const C*, int64_t, std::byte*, int64_t, Overflow);
ONNXCMP_INSTANTIATE(float)
ONNXCMP_INSTANTIATE(double)
ONNXCMP_INSTANTIATE(int64_t)
ONNXCMP_INSTANTIATE(uint64_t)
ONNXCMP_INSTANTIATE(bool)
ONNXCMP_INSTANTIATE(std::complex<double>)
#undef ONNXCMP_INSTANTIATE

}  // namespace onnxcmp

#include "evaluator/tensor/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "evaluator/tensor/convert_number.h"
#include "evaluator/tensor/narrow_float.h"
#include "evaluator/tensor/packed_bits.h"

namespace onnxcmp {
namespace {

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

// The 16-bit types overflow to infinity whatever is asked: saturation is of
// float8, float6 and float4.
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

template <int kBits>
int32_t SignExtended(uint8_t bits) {
  constexpr int kSign = 1 << (kBits - 1);
  return (bits ^ kSign) - kSign;
}

// ---- how elements are stored: Get(data, i) is a number, Set(data, i, number,
// overflow) stores ----

template <typename T>
struct Plain {
  using Element = T;
  static constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  static T Get(const T* data, int64_t i) { return data[i]; }
  template <typename C>
  static void Set(T* data, int64_t i, C x, Overflow overflow) {
    if constexpr (kIsInteger) {
      if (overflow == Overflow::kSaturate) {
        data[i] = Saturate<T>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
        return;
      }
    }
    data[i] = To<T>(x);
  }
};

// Files may hold other bytes than 0 and 1.
struct Bool : Plain<bool> {
  static bool Get(const bool* data, int64_t i) {
    return reinterpret_cast<const uint8_t*>(data)[i] != 0;
  }
};

struct Complex64 {
  using Element = std::complex<float>;
  static constexpr bool kIsInteger = false;
  static std::complex<double> Get(const Element* data, int64_t i) {
    return {data[i].real(), data[i].imag()};
  }
  template <typename C>
  static void Set(Element* data, int64_t i, C x, Overflow) {
    if constexpr (kIsComplex<C>) {
      data[i] = {static_cast<float>(x.real()), static_cast<float>(x.imag())};
    } else {
      data[i] = {To<float>(x), 0.0f};
    }
  }
};

struct Float16 {
  using Element = uint16_t;
  static constexpr bool kIsInteger = false;
  static float Get(const uint16_t* data, int64_t i) { return HalfToFloat(data[i]); }
  template <typename C>
  static void Set(uint16_t* data, int64_t i, C x, Overflow) {
    data[i] = ToHalf(x);
  }
};

struct Bfloat16 {
  using Element = uint16_t;
  static constexpr bool kIsInteger = false;
  static float Get(const uint16_t* data, int64_t i) {
    return std::bit_cast<float>(static_cast<uint32_t>(data[i]) << 16);
  }
  template <typename C>
  static void Set(uint16_t* data, int64_t i, C x, Overflow) {
    data[i] = ToBfloat16(x);
  }
};

template <const NarrowFormat& kFormat>
struct Float8 {
  using Element = uint8_t;
  static constexpr bool kIsInteger = false;
  static float Get(const uint8_t* data, int64_t i) { return kDecoded<kFormat>[data[i]]; }
  template <typename C>
  static void Set(uint8_t* data, int64_t i, C x, Overflow overflow) {
    data[i] = static_cast<uint8_t>(EncodeNarrow(kFormat, WidestOf(x), overflow));
  }
};

struct Float8E8M0Bits {
  using Element = uint8_t;
  static constexpr bool kIsInteger = false;
  static float Get(const uint8_t* data, int64_t i) { return DecodeE8M0(data[i]); }
  template <typename C>
  static void Set(uint8_t* data, int64_t i, C x, Overflow overflow) {
    data[i] = static_cast<uint8_t>(EncodeE8M0(WidestOf(x), overflow));
  }
};

// float4 and float6.
template <const NarrowFormat& kFormat>
struct PackedFloat {
  using Element = uint8_t;
  static constexpr bool kIsInteger = false;
  static constexpr int kBits = 1 + kFormat.exponent_bits + kFormat.mantissa_bits;
  static float Get(const uint8_t* data, int64_t i) {
    return kDecoded<kFormat>[PackedElement(data, i, kBits)];
  }
  template <typename C>
  static void Set(uint8_t* data, int64_t i, C x, Overflow overflow) {
    SetPackedElement(data, i, kBits,
                     static_cast<uint8_t>(EncodeNarrow(kFormat, WidestOf(x), overflow)));
  }
};

// T: int8_t or uint8_t.
template <int kBits, typename T>
struct PackedInteger {
  using Element = uint8_t;
  static constexpr bool kIsInteger = true;
  static constexpr T kLeast = std::is_signed_v<T> ? -(1 << (kBits - 1)) : 0;
  static constexpr T kGreatest = (1 << (std::is_signed_v<T> ? kBits - 1 : kBits)) - 1;
  static int32_t Get(const uint8_t* data, int64_t i) {
    const uint8_t bits = PackedElement(data, i, kBits);
    return std::is_signed_v<T> ? SignExtended<kBits>(bits) : bits;
  }
  template <typename C>
  static void Set(uint8_t* data, int64_t i, C x, Overflow overflow) {
    const T value = overflow == Overflow::kSaturate ? Saturate<T>(x, kLeast, kGreatest) : To<T>(x);
    SetPackedElement(data, i, kBits, static_cast<uint8_t>(value));
  }
};

// Calls f<Storage>() for a dtype that holds numbers. The list of dtypes.
template <typename F>
void WithStorage(DType dtype, const F& f) {
  switch (dtype) {
    case DType::kUndefined:
    case DType::kString:
      return;
    case DType::kFloat:
      return f.template operator()<Plain<float>>();
    case DType::kDouble:
      return f.template operator()<Plain<double>>();
    case DType::kUint8:
      return f.template operator()<Plain<uint8_t>>();
    case DType::kInt8:
      return f.template operator()<Plain<int8_t>>();
    case DType::kUint16:
      return f.template operator()<Plain<uint16_t>>();
    case DType::kInt16:
      return f.template operator()<Plain<int16_t>>();
    case DType::kUint32:
      return f.template operator()<Plain<uint32_t>>();
    case DType::kInt32:
      return f.template operator()<Plain<int32_t>>();
    case DType::kUint64:
      return f.template operator()<Plain<uint64_t>>();
    case DType::kInt64:
      return f.template operator()<Plain<int64_t>>();
    case DType::kBool:
      return f.template operator()<Bool>();
    case DType::kFloat16:
      return f.template operator()<Float16>();
    case DType::kBfloat16:
      return f.template operator()<Bfloat16>();
    case DType::kComplex64:
      return f.template operator()<Complex64>();
    case DType::kComplex128:
      return f.template operator()<Plain<std::complex<double>>>();
    case DType::kFloat8E4M3FN:
      return f.template operator()<Float8<kE4M3FNFormat>>();
    case DType::kFloat8E4M3FNUZ:
      return f.template operator()<Float8<kE4M3FNUZFormat>>();
    case DType::kFloat8E5M2:
      return f.template operator()<Float8<kE5M2Format>>();
    case DType::kFloat8E5M2FNUZ:
      return f.template operator()<Float8<kE5M2FNUZFormat>>();
    case DType::kFloat8E8M0:
      return f.template operator()<Float8E8M0Bits>();
    case DType::kFloat4E2M1:
      return f.template operator()<PackedFloat<kE2M1Format>>();
    case DType::kFloat6E2M3:
      return f.template operator()<PackedFloat<kE2M3Format>>();
    case DType::kFloat6E3M2:
      return f.template operator()<PackedFloat<kE3M2Format>>();
    case DType::kUint4:
      return f.template operator()<PackedInteger<4, uint8_t>>();
    case DType::kInt4:
      return f.template operator()<PackedInteger<4, int8_t>>();
    case DType::kUint2:
      return f.template operator()<PackedInteger<2, uint8_t>>();
    case DType::kInt2:
      return f.template operator()<PackedInteger<2, int8_t>>();
  }
}

// ---- loops over elements ----

// Halves of doubles are converted by way of floats, so many at a time.
constexpr int64_t kChunk = 64;

// The loop with stride 1 is apart so that it is vectorised.
template <typename Storage, typename C>
void Load(const typename Storage::Element* data, int64_t first, int64_t stride, int64_t count,
          C* out) {
  if (stride != 1) {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = To<C>(Storage::Get(data, first + i * stride));
    }
  } else if constexpr (std::is_same_v<Storage, Plain<C>>) {
    std::memcpy(static_cast<void*>(out), data + first, static_cast<size_t>(count) * sizeof(C));
  } else if constexpr (std::is_same_v<Storage, Float16> && std::is_same_v<C, float>) {
    HalvesToFloats(data + first, count, out);
  } else if constexpr (std::is_same_v<Storage, Float16> && std::is_same_v<C, double>) {
    float floats[kChunk];
    for (int64_t i = 0; i < count; i += kChunk) {
      const int64_t n = std::min(kChunk, count - i);
      HalvesToFloats(data + first + i, n, floats);
      for (int64_t k = 0; k < n; ++k) out[i + k] = static_cast<double>(floats[k]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = To<C>(Storage::Get(data, first + i));
    }
  }
}

template <typename Storage, typename C>
void Store(const C* values, int64_t count, typename Storage::Element* data, int64_t first,
           Overflow overflow) {
  if constexpr (std::is_same_v<Storage, Plain<C>>) {
    std::memcpy(static_cast<void*>(data + first), values, static_cast<size_t>(count) * sizeof(C));
  } else if constexpr (std::is_same_v<Storage, Float16> && std::is_same_v<C, float>) {
    FloatsToHalves(values, count, data + first);
  } else if constexpr (std::is_same_v<Storage, Float16> && std::is_same_v<C, double>) {
    float floats[kChunk];
    for (int64_t i = 0; i < count; i += kChunk) {
      const int64_t n = std::min(kChunk, count - i);
      int64_t exact = 0;  // floats without rounding, which must not happen twice
      for (int64_t k = 0; k < n; ++k) {
        floats[k] = static_cast<float>(values[i + k]);
        exact += static_cast<double>(floats[k]) == values[i + k] ? 1 : 0;
      }
      if (exact == n) {
        FloatsToHalves(floats, n, data + first + i);
        continue;
      }
      for (int64_t k = 0; k < n; ++k) {
        Storage::Set(data, first + i + k, values[i + k], overflow);
      }
    }
  } else if (Storage::kIsInteger && overflow == Overflow::kSaturate) {
    // A loop of its own: what a loop does must not depend on a variable if it
    // is to be vectorised.
    for (int64_t i = 0; i < count; ++i) {
      Storage::Set(data, first + i, values[i], Overflow::kSaturate);
    }
  } else {
    const Overflow how = Storage::kIsInteger ? Overflow::kIeee : overflow;
    for (int64_t i = 0; i < count; ++i) {
      Storage::Set(data, first + i, values[i], how);
    }
  }
}

}  // namespace

template <typename C>
void LoadStrided(DType dtype, const std::byte* data, int64_t first, int64_t stride, int64_t count,
                 C* out) {
  if (count <= 0) return;
  WithStorage(dtype, [&]<typename Storage>() {
    Load<Storage>(reinterpret_cast<const typename Storage::Element*>(data), first, stride, count,
                  out);
  });
}

template <typename C>
void LoadElements(DType dtype, const std::byte* data, int64_t first, int64_t count, C* out) {
  LoadStrided(dtype, data, first, 1, count, out);
}

template <typename C>
void StoreElements(DType dtype, const C* values, int64_t count, std::byte* data, int64_t first,
                   Overflow overflow) {
  if (count <= 0) return;
  WithStorage(dtype, [&]<typename Storage>() {
    Store<Storage>(values, count, reinterpret_cast<typename Storage::Element*>(data), first,
                   overflow);
  });
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

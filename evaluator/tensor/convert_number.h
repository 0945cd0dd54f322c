// One number to another type, as ONNX's Cast does it: what convert.cc does to every element.
#ifndef ONNXCMP_EVALUATOR_TENSOR_CONVERT_NUMBER_H_
#define ONNXCMP_EVALUATOR_TENSOR_CONVERT_NUMBER_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace onnxcmp {

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<double>>;

// Truncates as the processor's conversion instruction does (and so NumPy and
// onnxruntime on x86): NaN and whatever does not fit give the least value. ONNX
// leaves it undefined.
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
  if (x >= Float{9223372036854775808.0}) {  // a number that is too large leaves nothing
    return x < Float{18446744073709551616.0} ? static_cast<uint64_t>(x) : 0;
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
    // The float next to `greatest` may lie above it, where the cast would
    // overflow.
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

// A double that every narrow float rounds to as it would round x. Integers
// beyond 53 bits are rounded to odd, which keeps the later rounding from being
// a second one.
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

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_CONVERT_NUMBER_H_

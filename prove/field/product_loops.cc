#include "prove/field/product_loops.h"

#include <bit>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace onnxcmp {
namespace ONNXCMP_INSTRUCTIONS {
namespace {

using Doubles [[gnu::vector_size(kRegisterBytes)]] = double;
using Integers [[gnu::vector_size(kRegisterBytes)]] = int64_t;
constexpr int kLanes = kRegisterBytes / sizeof(double);
constexpr int kRows = kLanes < 8 ? 4 : 8;  // whose sums, three each, are in registers

constexpr double kHighPart = 0x1p22;
// The double 2^52 + i has the bits of 2^52 or'ed with those of i, for i below 2^52.
constexpr double kOffset = 0x1p52;
constexpr auto kOffsetBits = std::bit_cast<int64_t>(kOffset);
// Added and subtracted, it rounds a double below 2^51 to a whole number.
constexpr double kRounder = kOffset + kOffset / 2;

// a * b + c, rounded once.
[[gnu::always_inline]] inline Doubles MultiplyAdd(Doubles a, Doubles b, Doubles c) {
#if defined(ONNXCMP_AVX512)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f64(c, a, b);
#else
  Doubles sum;
  for (int i = 0; i < kLanes; ++i) sum[i] = __builtin_fma(a[i], b[i], c[i]);
  return sum;
#endif
}

// The same, where no rounding is needed: a double holds the product, and the sum.
[[gnu::always_inline]] inline Doubles AddProduct(Doubles a, Doubles b, Doubles c) {
#if defined(__FMA__) || defined(__aarch64__)
  return MultiplyAdd(a, b, c);
#else
  return a * b + c;
#endif
}

template <typename Vector>
[[gnu::always_inline]] inline Vector Load(const void* from) {
  Vector vector;
  __builtin_memcpy(&vector, from, sizeof(vector));
  return vector;
}
template <typename Vector>
[[gnu::always_inline]] inline void Store(Vector vector, void* to) {
  __builtin_memcpy(to, &vector, sizeof(vector));
}

[[gnu::always_inline]] inline Doubles Fill(double x) { return x - Doubles{}; }
[[gnu::always_inline]] inline Doubles Rounded(Doubles x) { return (x + kRounder) - kRounder; }
[[gnu::always_inline]] inline Doubles ToDoubles(Integers residues) {
  return reinterpret_cast<Doubles>(residues | kOffsetBits) - kOffset;
}
[[gnu::always_inline]] inline Integers ToIntegers(Doubles residues) {
  return reinterpret_cast<Integers>(residues + kOffset) ^ kOffsetBits;
}
// `yes` in lanes where the condition is -1, else 0.
[[gnu::always_inline]] inline Doubles Where(Integers condition, double yes) {
  return reinterpret_cast<Doubles>(condition & reinterpret_cast<Integers>(Fill(yes)));
}

struct Modulus {
  explicit Modulus(const PrimeField& field)
      : prime(static_cast<double>(field.prime())),
        inverse(1 / prime),
        high_square(static_cast<double>((uint64_t{1} << PrimeField::kBits) - field.prime())) {}

  double prime;
  double inverse;
  double high_square;  // 2^44 modulo p, below 2^40
};

// The number next to 0 that a number below 2^53 is modulo p, or one of its neighbours.
[[gnu::always_inline]] inline Doubles Reduced(const Modulus& p, Doubles x) {
  return MultiplyAdd(Rounded(x * p.inverse), Fill(-p.prime), x);
}
// The same of x * factor, for |x| < 2^53 and a factor below 2^40: the product, of 93 bits, is
// `head` + `tail`.
[[gnu::always_inline]] inline Doubles ReducedTimes(const Modulus& p, Doubles x, double factor) {
  const Doubles head = x * factor;
  const Doubles tail = MultiplyAdd(x, Fill(factor), -head);
  return MultiplyAdd(Rounded(head * p.inverse), Fill(-p.prime), head) + tail;
}

struct Parts {
  Doubles low, high;
};
[[gnu::always_inline]] inline Parts Split(const Modulus& p, Integers residues) {
  Doubles number = ToDoubles(residues);
  number -= Where(number > p.prime / 2, p.prime);
  const Doubles high = Rounded(number * (1 / kHighPart));
  return {MultiplyAdd(high, Fill(-kHighPart), number), high};
}

// Some of the next residues, fewer than a register holds; zeros for the others.
[[gnu::always_inline]] inline Integers LoadSome(const Residue* from, int64_t count) {
  Integers some{};
  for (int64_t i = 0; i < count; ++i) some[i] = from[i];
  return some;
}

void SplitRows(const PrimeField& field, const Residue* from, int64_t stride, int64_t height,
               int64_t terms, double* to) {
  constexpr int64_t kPart = kRows * kProductTerms;
  const Modulus p(field);
  for (int64_t row = 0; row < kRows; ++row) {
    const int64_t count = row < height ? terms : 0;
    double* const at = to + row * kProductTerms;
    for (int64_t i = 0; i < kProductTerms; i += kLanes) {
      Integers residues{};
      if (i + kLanes <= count) {
        residues = Load<Integers>(from + row * stride + i);
      } else if (i < count) {
        residues = LoadSome(from + row * stride + i, count - i);
      } else if (i >= terms) {
        break;
      }
      const Parts parts = Split(p, residues);
      Store(parts.low, at + i);
      Store(parts.high, at + kPart + i);
      Store(parts.low + parts.high, at + 2 * kPart + i);
    }
  }
}

void SplitColumns(const PrimeField& field, const Residue* from, int64_t stride, int64_t terms,
                  int64_t width, double* to) {
  const Modulus p(field);
  for (int64_t i = 0; i < terms; ++i) {
    const Residue* const row = from + i * stride;
    const Integers residues = width == kLanes ? Load<Integers>(row) : LoadSome(row, width);
    const Parts parts = Split(p, residues);
    double* const at = to + i * kProductParts * kLanes;
    Store(parts.low, at);
    Store(parts.high, at + kLanes);
    Store(parts.low + parts.high, at + 2 * kLanes);
  }
}

// Sums of products of parts.
struct Sums {
  Doubles low{}, high{}, both{};
};

// The residues of `before` + the number whose parts have these sums of products.
[[gnu::always_inline]] inline Integers Residues(const Modulus& p, const Sums& sums,
                                                Integers before) {
  const Doubles middle = sums.both - sums.low - sums.high;
  Doubles number = Reduced(p, sums.low) + ReducedTimes(p, middle, kHighPart) +
                   ReducedTimes(p, sums.high, p.high_square) + ToDoubles(before);
  number = Reduced(p, number);
  number += Where(number < 0, p.prime);
  number -= Where(number >= p.prime, p.prime);
  return ToIntegers(number);
}

void Multiply(const PrimeField& field, const double* left, const double* right, int64_t terms,
              int64_t height, int64_t width, Residue* out, int64_t stride) {
  constexpr int64_t kPart = kRows * kProductTerms;
  const Modulus p(field);
  Sums sums[kRows];
  for (int64_t i = 0; i < terms; ++i) {
    const double* const column = right + i * kProductParts * kLanes;
    const auto low = Load<Doubles>(column);
    const auto high = Load<Doubles>(column + kLanes);
    const auto both = Load<Doubles>(column + 2 * kLanes);
#pragma GCC unroll 8
    for (int row = 0; row < kRows; ++row) {
      const double* const factor = left + row * kProductTerms + i;
      sums[row].low = AddProduct(Fill(factor[0]), low, sums[row].low);
      sums[row].high = AddProduct(Fill(factor[kPart]), high, sums[row].high);
      sums[row].both = AddProduct(Fill(factor[2 * kPart]), both, sums[row].both);
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
    if (row >= height) break;
    Residue* const to = out + row * stride;
    if (width == kLanes) {
      Store(Residues(p, sums[row], Load<Integers>(to)), to);
      continue;
    }
    const Integers made = Residues(p, sums[row], LoadSome(to, width));
    for (int64_t i = 0; i < width; ++i) to[i] = made[i];
  }
}

}  // namespace

ProductLoops LoopsOfProducts() { return {kRows, kLanes, SplitRows, SplitColumns, Multiply}; }

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp

#include "record/streams/fingerprint_loops.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "record/streams/eight_doubles.h"

namespace onnxcmp {
namespace ONNXCMP_INSTRUCTIONS {
namespace {

// Beyond this, c(x) is 1, and 1 + x has only a denormal reciprocal.
constexpr double kHuge = 0x1p500;

EightDoubles Bounded(const float* /*x*/, EightDoubles v) { return v; }
EightDoubles Bounded(const double* /*x*/, EightDoubles v) { return Between(v, -kHuge, kHuge); }

// Vectors of eight that are computed side by side, step by step: each step waits for the one
// before, and the processor looks only so far ahead for independent work.
constexpr int kSideBySide = kRegisterBytes < 64 ? 2 : 4;  // shorter registers are fewer, too

template <int kCount, typename Step>
[[gnu::always_inline]] inline void ForEach(Step step) {
#pragma GCC unroll 8
  for (int k = 0; k < kCount; ++k) step(k);
}

// Uses steps of Halley and of Newton: a division would take longer. At most two units in the last
// place off.
template <int kCount>
[[gnu::always_inline]] inline void InverseOf(const EightDoubles* divisor, EightDoubles* inverse) {
  const EightDoubles one = Fill(1.0);
  EightDoubles error[kCount];
  const auto find_error = [&](int k) {
    error[k] = FusedMultiplySubtractFrom(divisor[k], inverse[k], one);
  };
  const auto improve = [&](int k) {
    inverse[k] = FusedMultiplyAdd(inverse[k], error[k], inverse[k]);
  };
  ForEach<kCount>([&](int k) { inverse[k] = AboutReciprocal(divisor[k]); });
  ForEach<2>([&](int /*step*/) {
    ForEach<kCount>(find_error);
    ForEach<kCount>([&](int k) { error[k] = FusedMultiplyAdd(error[k], error[k], error[k]); });
    ForEach<kCount>(improve);
  });
  ForEach<kCount>(find_error);
  ForEach<kCount>(improve);
}

struct Sums {
  EightDoubles plain = Fill(0.0);
  EightDoubles squares = Fill(0.0);
  EightDoubles shifted_squares = Fill(0.0);
  EightDoubles squashed = Fill(0.0);
  EightDoubles squashed_magnitudes = Fill(0.0);
  EightDoubles squashed_squares = Fill(0.0);
  EightDoubles squashed_cubes = Fill(0.0);
};

[[gnu::always_inline]] inline void AddTo(double* slots, EightDoubles x) {
  StoreEight(LoadEight(slots) + x, slots);
}

// kCount times eight elements at p, which differ by `shifted` from the shift.
template <int kCount, typename T>
[[gnu::always_inline]] inline void AddEights(const T* p, const EightDoubles* x,
                                             const EightDoubles* shifted, uint64_t signs,
                                             double* plain, double* squashed, Sums* sums) {
  EightDoubles bounded[kCount];
  EightDoubles divisor[kCount];
  EightDoubles inverse[kCount];
  ForEach<kCount>([&](int k) {
    bounded[k] = Bounded(p, x[k]);
    divisor[k] = Fill(1.0) + Magnitude(bounded[k]);
  });
  InverseOf<kCount>(divisor, inverse);
  ForEach<kCount>([&](int k) {
    sums->plain = sums->plain + x[k];
    sums->squares = FusedMultiplyAdd(x[k], x[k], sums->squares);
    sums->shifted_squares = FusedMultiplyAdd(shifted[k], shifted[k], sums->shifted_squares);
    const EightDoubles c = bounded[k] * inverse[k];
    const EightDoubles square = c * c;
    sums->squashed = sums->squashed + c;
    sums->squashed_magnitudes =
        FusedMultiplyAdd(Magnitude(bounded[k]), inverse[k], sums->squashed_magnitudes);
    sums->squashed_squares = sums->squashed_squares + square;
    sums->squashed_cubes = FusedMultiplyAdd(square, c, sums->squashed_cubes);
    const EightSigns flips = SignsOf(signs >> (8 * k));
    AddTo(plain + 8 * k, Flip(x[k], flips));
    AddTo(squashed + 8 * k, Flip(c, flips));
  });
}

template <typename T>
NumberSums Add(const T* x, int64_t count, double shift, const uint64_t* signs, double* plain,
               double* squashed) {
  Sums sums;
  const EightDoubles shifts = Fill(shift);
  int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const uint64_t bits = signs[i / 64];
    for (int64_t j = 0; j < 64; j += 8 * kSideBySide) {
      EightDoubles eights[kSideBySide];
      EightDoubles shifted[kSideBySide];
      ForEach<kSideBySide>([&](int k) {
        eights[k] = LoadEight(x + i + j + 8 * k);
        shifted[k] = eights[k] - shifts;
      });
      AddEights<kSideBySide>(x, eights, shifted, bits >> j, plain + j, squashed + j, &sums);
    }
  }
  for (; i < count; i += 8) {
    const EightDoubles eight = LoadEight(x + i);
    EightDoubles shifted = eight - shifts;
    if (i + 8 > count) {
      double lanes[8] = {};
      for (int64_t k = i; k < count; ++k) lanes[k - i] = static_cast<double>(x[k]) - shift;
      shifted = LoadEight(lanes);
    }
    const int64_t j = i % 64;
    AddEights<1>(x, &eight, &shifted, signs[i / 64] >> j, plain + j, squashed + j, &sums);
  }
  return {Sum(sums.plain),
          Sum(sums.squares),
          Sum(sums.shifted_squares),
          Sum(sums.squashed),
          Sum(sums.squashed_magnitudes),
          Sum(sums.squashed_squares),
          Sum(sums.squashed_cubes)};
}

// Uses integers, which the compiler vectorizes by itself: floating-point numbers have the order of
// their bits, except that negative ones are reversed.
template <typename T, typename Key>
NumberEnds FindEnds(const T* x, int64_t count) {
  constexpr Key kMagnitude = static_cast<Key>(~(Key{1} << (sizeof(Key) * 8 - 1)));
  constexpr auto kInfinityBits = __builtin_bit_cast(Key, static_cast<T>(__builtin_inf()));
  const auto key_of = [](T number) {
    const auto bits = __builtin_bit_cast(Key, number);
    return static_cast<Key>(bits ^ ((bits >> (sizeof(Key) * 8 - 1)) & kMagnitude));
  };
  Key least = key_of(x[0]);
  Key greatest = least;
  Key top = 0;
  Key zeros = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Key key = key_of(x[i]);
    const Key magnitude = __builtin_bit_cast(Key, x[i]) & kMagnitude;
    least = key < least ? key : least;
    greatest = key > greatest ? key : greatest;
    top = magnitude > top ? magnitude : top;
    zeros += magnitude == 0 ? 1 : 0;
  }
  const auto number_of = [](Key key) {
    const auto bits = static_cast<Key>(key ^ ((key >> (sizeof(Key) * 8 - 1)) & kMagnitude));
    return static_cast<double>(__builtin_bit_cast(T, bits));
  };
  return {number_of(least), number_of(greatest), zeros, top < kInfinityBits};
}

// MurmurHash3's 32-bit mixer between constants of our own. The mixed word is multiplied by two
// words made of it: nonlinear, so that sums distinguish multisets.
template <typename Words>
[[gnu::always_inline]] inline Words Mixed(Words word) {
  word ^= 0x9E3779B9;
  word = (word ^ (word >> 16)) * 0x85EBCA6B;
  word = (word ^ (word >> 13)) * 0xC2B2AE35;
  return word ^ (word >> 16);
}
constexpr uint32_t kLowFactor = 0x27D4EB2F;
constexpr uint32_t kHighFactor = 0x165667B1;

#if defined(__AVX2__)

using Words = uint32_t __attribute__((vector_size(kRegisterBytes)));
using Longs = uint64_t __attribute__((vector_size(kRegisterBytes)));

// Products of the even words and of the odd ones.
[[gnu::always_inline]] inline Longs SumOfProducts(Words a, Words b) {
  const auto products = [](Longs x, Longs y) {
#if defined(ONNXCMP_AVX512)
    return reinterpret_cast<Longs>(
        _mm512_mul_epu32(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(y)));
#else
    return reinterpret_cast<Longs>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(y)));
#endif
  };
  const auto x = reinterpret_cast<Longs>(a);
  const auto y = reinterpret_cast<Longs>(b);
  return products(x, y) + products(x >> 32, y >> 32);
}

// Sums the words that fill whole registers; the rest is left.
MultisetSum SumOfWholeRegisters(const std::byte** words, int64_t* count) {
  constexpr int64_t kWords = kRegisterBytes / sizeof(uint32_t);
  Longs low = {};
  Longs high = {};
  for (; *count >= kWords; *count -= kWords, *words += kRegisterBytes) {
    Words read;
    __builtin_memcpy(&read, *words, sizeof(read));
    const Words mixed = Mixed(read);
    low += SumOfProducts(mixed, mixed ^ kLowFactor);
    high += SumOfProducts(mixed, mixed + kHighFactor);
  }
  MultisetSum sum;
  for (int lane = 0; lane < kRegisterBytes / 8; ++lane) {
    sum.low += low[lane];
    sum.high += high[lane];
  }
  return sum;
}

#else

MultisetSum SumOfWholeRegisters(const std::byte** /*words*/, int64_t* /*count*/) { return {}; }

#endif

MultisetSum SumOfWords(const std::byte* words, int64_t count) {
  MultisetSum sum = SumOfWholeRegisters(&words, &count);
  for (int64_t i = 0; i < count; ++i) {
    uint32_t word;
    __builtin_memcpy(&word, words + i * 4, sizeof(word));
    const uint32_t mixed = Mixed(word);
    sum.low += uint64_t{mixed} * (mixed ^ kLowFactor);
    sum.high += uint64_t{mixed} * (mixed + kHighFactor);
  }
  return sum;
}

}  // namespace

FingerprintLoops LoopsOfFingerprints() {
  return {
      {FindEnds<float, int32_t>, Add<float>}, {FindEnds<double, int64_t>, Add<double>}, SumOfWords};
}

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp

#include "compare/streams/multiset_hash.h"

#include <array>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace onnxcmp {
namespace {

// MurmurHash3's mixer of 32 bits, between constants of our own.
constexpr uint32_t kSeed = 0x9E3779B9;
constexpr uint32_t kMix1 = 0x85EBCA6B;
constexpr uint32_t kMix2 = 0xC2B2AE35;
constexpr uint32_t kLow = 0x27D4EB2F;
constexpr uint32_t kHigh = 0x165667B1;

// The mixed word times two words made of it: nonlinear, so that sums tell multisets apart.
MultisetSum SumOfWord(uint32_t word) {
  uint32_t h = word ^ kSeed;
  h = (h ^ (h >> 16)) * kMix1;
  h = (h ^ (h >> 13)) * kMix2;
  h ^= h >> 16;
  return {uint64_t{h} * (h ^ kLow), uint64_t{h} * (h + kHigh)};
}

#ifdef __AVX2__

using Words = uint32_t __attribute__((vector_size(32)));
using Longs = uint64_t __attribute__((vector_size(32)));

Longs MultiplyEven(Words a, Words b) {
  return reinterpret_cast<Longs>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}

Words OddWords(Words words) {
  return reinterpret_cast<Words>(reinterpret_cast<Longs>(words) >> 32);
}

MultisetSum SumOfWords(const std::byte* data, int64_t count) {
  Longs low = {};
  Longs high = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    Words h;
    std::memcpy(&h, data + i * 4, sizeof(h));
    h ^= kSeed;
    h = (h ^ (h >> 16)) * kMix1;
    h = (h ^ (h >> 13)) * kMix2;
    h ^= h >> 16;
    const Words for_low = h ^ kLow;
    const Words for_high = h + kHigh;
    const Words odd = OddWords(h);
    low += MultiplyEven(h, for_low) + MultiplyEven(odd, OddWords(for_low));
    high += MultiplyEven(h, for_high) + MultiplyEven(odd, OddWords(for_high));
  }
  MultisetSum sum = {low[0] + low[1] + low[2] + low[3], high[0] + high[1] + high[2] + high[3]};
  for (; i < count; ++i) {
    uint32_t word;
    std::memcpy(&word, data + i * 4, sizeof(word));
    sum.Add(SumOfWord(word));
  }
  return sum;
}

#else

MultisetSum SumOfWords(const std::byte* data, int64_t count) {
  MultisetSum sum;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t word;
    std::memcpy(&word, data + i * 4, sizeof(word));
    sum.Add(SumOfWord(word));
  }
  return sum;
}

#endif

MultisetSum SumOfBytes(const std::byte* data, int64_t count) {
  std::array<uint64_t, 256> counts = {};
  for (int64_t i = 0; i < count; ++i) {
    ++counts[std::to_integer<size_t>(data[i])];
  }
  MultisetSum sum;
  for (uint32_t byte = 0; byte < counts.size(); ++byte) {
    if (counts[byte] == 0) continue;
    const MultisetSum one = SumOfWord(byte);
    sum.Add({one.low * counts[byte], one.high * counts[byte]});
  }
  return sum;
}

MultisetSum SumOfHalfWords(const std::byte* data, int64_t count) {
  constexpr int64_t kStrip = 256;
  std::array<uint16_t, kStrip> half_words;
  std::array<uint32_t, kStrip> words;
  MultisetSum sum;
  for (int64_t first = 0; first < count; first += kStrip) {
    const int64_t n = count - first < kStrip ? count - first : kStrip;
    std::memcpy(half_words.data(), data + first * 2, static_cast<size_t>(n) * 2);
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      words[i] = half_words[i];
    }
    sum.Add(SumOfWords(reinterpret_cast<const std::byte*>(words.data()), n));
  }
  return sum;
}

// Both halves of a product of 128 bits.
uint64_t Multiply(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

MultisetSum SumOfHashed(uint64_t hash) {
  const uint64_t h =
      Multiply(hash ^ 0x9E3779B97F4A7C15, (hash >> 32 | hash << 32) ^ 0xC2B2AE3D27D4EB4F);
  return {Multiply(h ^ 0x165667B19E3779F9, hash + 0x85EBCA77C2B2AE63),
          Multiply(h ^ 0x27D4EB2F165667C5, hash ^ 0xFF51AFD7ED558CCD)};
}

MultisetSum SumOfElements(const std::byte* data, int64_t count, int64_t element_size) {
  switch (element_size) {
    case 1:
      return SumOfBytes(data, count);
    case 2:
      return SumOfHalfWords(data, count);
    case 4:
      return SumOfWords(data, count);
    default:
      break;
  }
  MultisetSum sum;
  for (int64_t i = 0; i < count; ++i) {
    std::array<uint64_t, 2> element = {};
    std::memcpy(element.data(), data + i * element_size, static_cast<size_t>(element_size));
    const uint64_t hash =
        element_size == 8
            ? element[0]
            : Multiply(element[0] ^ 0xD6E8FEB86659FD93, 0xA0761D6478BD642F) + element[1];
    sum.Add(SumOfHashed(hash));
  }
  return sum;
}

}  // namespace onnxcmp

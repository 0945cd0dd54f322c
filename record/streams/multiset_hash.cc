#include "record/streams/multiset_hash.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "record/differences/number_strips.h"
#include "record/streams/fingerprint_loops.h"

namespace onnxcmp {
namespace {

MultisetSum SumOfWords(const std::byte* data, int64_t count) {
  return BestFingerprintLoops().sum_of_words(data, count);
}

// Sums elements that are narrower than words, as words.
template <typename Narrow>
MultisetSum SumOfNarrow(const std::byte* data, int64_t count) {
  std::array<Narrow, kNumberStrip> narrow;
  std::array<uint32_t, kNumberStrip> words;
  MultisetSum sum;
  for (int64_t first = 0; first < count; first += kNumberStrip) {
    const int64_t n = count - first < kNumberStrip ? count - first : kNumberStrip;
    constexpr auto kWidth = static_cast<int64_t>(sizeof(Narrow));
    std::memcpy(narrow.data(), data + first * kWidth, static_cast<size_t>(n * kWidth));
    std::copy(narrow.begin(), narrow.begin() + n, words.begin());
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
      return SumOfNarrow<uint8_t>(data, count);
    case 2:
      return SumOfNarrow<uint16_t>(data, count);
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

#include "compare/streams/multiset_hash.h"

#include <array>
#include <cstring>

#include "compare/streams/fingerprint_loops.h"

namespace onnxcmp {
namespace {

MultisetSum SumOfWords(const std::byte* data, int64_t count) {
  return BestFingerprintLoops().sum_of_words(data, count);
}

MultisetSum SumOfBytes(const std::byte* data, int64_t count) {
  std::array<uint64_t, 256> counts = {};
  for (int64_t i = 0; i < count; ++i) {
    ++counts[std::to_integer<size_t>(data[i])];
  }
  MultisetSum sum;
  for (uint32_t byte = 0; byte < counts.size(); ++byte) {
    if (counts[byte] == 0) continue;
    const MultisetSum one = SumOfWords(reinterpret_cast<const std::byte*>(&byte), 1);
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

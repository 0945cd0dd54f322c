// How elements of less than a byte lie in bytes: one after the other, the first in the lowest bits.
// Those of 6 bits cross from byte to byte.
#ifndef ONNXCMP_EVALUATOR_TENSOR_PACKED_BITS_H_
#define ONNXCMP_EVALUATOR_TENSOR_PACKED_BITS_H_

#include <cstdint>

namespace onnxcmp {

// The bits of element i, of `width` bits each (1 to 8).
inline uint8_t PackedElement(const uint8_t* bytes, int64_t i, int width) {
  const int64_t bit = i * width;
  const int shift = static_cast<int>(bit % 8);
  unsigned window = bytes[bit / 8];
  if (shift + width > 8) window |= static_cast<unsigned>(bytes[bit / 8 + 1]) << 8;
  return static_cast<uint8_t>(window >> shift & ((1u << width) - 1));
}

// Bits beyond the element's stay as they are, so that the last byte must be 0 before it is filled.
inline void SetPackedElement(uint8_t* bytes, int64_t i, int width, uint8_t bits) {
  const int64_t bit = i * width;
  const int shift = static_cast<int>(bit % 8);
  const unsigned mask = ((1u << width) - 1) << shift;
  const unsigned value = static_cast<unsigned>(bits) << shift & mask;
  uint8_t& low = bytes[bit / 8];
  low = static_cast<uint8_t>((low & ~mask) | value);
  if (shift + width > 8) {
    uint8_t& high = bytes[bit / 8 + 1];
    high = static_cast<uint8_t>((high & ~(mask >> 8)) | value >> 8);
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_PACKED_BITS_H_

// A hash of elements that does not depend on their order.
#ifndef ONNXCMP_COMPARE_STREAMS_MULTISET_HASH_H_
#define ONNXCMP_COMPARE_STREAMS_MULTISET_HASH_H_

#include <cstddef>
#include <cstdint>

namespace onnxcmp {

// Two sums, modulo 2^64, of mixed elements: the sums of the parts of a tensor add up to its own.
struct MultisetSum {
  uint64_t low = 0;
  uint64_t high = 0;
  void Add(const MultisetSum& other) {
    low += other.low;
    high += other.high;
  }
};

// Of `count` elements of 1, 2, 4, 8 or 16 bytes. Elements of different width never hash alike on
// purpose: the caller mixes the type in.
MultisetSum SumOfElements(const std::byte* data, int64_t count, int64_t element_size);

// Of one element that is known by a hash.
MultisetSum SumOfHashed(uint64_t hash);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STREAMS_MULTISET_HASH_H_

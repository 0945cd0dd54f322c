// A hash of elements that does not depend on their order.
#ifndef ONNXCMP_RECORD_STREAMS_MULTISET_HASH_H_
#define ONNXCMP_RECORD_STREAMS_MULTISET_HASH_H_

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

// Sum of `count` elements of 1, 2, 4, 8 or 16 bytes. Elements of different width may have equal
// hashes: the caller mixes in the type.
MultisetSum SumOfElements(const std::byte* data, int64_t count, int64_t element_size);

// Sum of one element that is given by a hash.
MultisetSum SumOfHashed(uint64_t hash);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_MULTISET_HASH_H_

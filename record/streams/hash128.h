// A hash without accidental collisions.
#ifndef ONNXCMP_RECORD_STREAMS_HASH128_H_
#define ONNXCMP_RECORD_STREAMS_HASH128_H_

#include <cstdint>
#include <utility>

namespace onnxcmp {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Hash128& hash) {
    return H::combine(std::move(h), hash.low);
  }
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_HASH128_H_

// XXH3's hashes of 128 bits as Hash128, for source files alone.
#ifndef ONNXCMP_RECORD_STREAMS_XXH128_H_
#define ONNXCMP_RECORD_STREAMS_XXH128_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "record/streams/hash128.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace onnxcmp {

inline Hash128 ToHash128(const XXH128_hash_t& hash) { return {hash.low64, hash.high64}; }

inline Hash128 HashOfText(absl::string_view text) {
  return ToHash128(XXH3_128bits(text.data(), text.size()));
}

inline Hash128 HashOf(absl::Span<const uint64_t> words) {
  return ToHash128(XXH3_128bits(words.data(), words.size() * sizeof(uint64_t)));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_XXH128_H_

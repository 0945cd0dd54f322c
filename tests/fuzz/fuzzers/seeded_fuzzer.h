// The mutations of targets that take eight bytes of a seed and then a model: the seed is changed,
// or the model behind it.
#ifndef ONNXCMP_TESTS_FUZZ_FUZZERS_SEEDED_FUZZER_H_
#define ONNXCMP_TESTS_FUZZ_FUZZERS_SEEDED_FUZZER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/fuzzers/model_fuzzer.h"

namespace onnxcmp::fuzz {
inline constexpr size_t kSeedBytes = 8;
}  // namespace onnxcmp::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (size < onnxcmp::fuzz::kSeedBytes || seed % 3 != 0) {
    std::memcpy(data, &seed, std::min(size, sizeof(seed)));
    return size;
  }
  return onnxcmp::fuzz::kSeedBytes +
         onnxcmp::fuzz::MutateModelBytes(data + onnxcmp::fuzz::kSeedBytes,
                                         size - onnxcmp::fuzz::kSeedBytes,
                                         max_size - onnxcmp::fuzz::kSeedBytes, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  if (left_size < onnxcmp::fuzz::kSeedBytes || right_size < onnxcmp::fuzz::kSeedBytes ||
      max_size < onnxcmp::fuzz::kSeedBytes)
    return 0;
  std::memcpy(out, left, onnxcmp::fuzz::kSeedBytes);
  const size_t written = onnxcmp::fuzz::CrossModelBytes(
      left + onnxcmp::fuzz::kSeedBytes, left_size - onnxcmp::fuzz::kSeedBytes,
      right + onnxcmp::fuzz::kSeedBytes, right_size - onnxcmp::fuzz::kSeedBytes,
      out + onnxcmp::fuzz::kSeedBytes, max_size - onnxcmp::fuzz::kSeedBytes, seed);
  return written == 0 ? 0 : onnxcmp::fuzz::kSeedBytes + written;
}

#endif  // ONNXCMP_TESTS_FUZZ_FUZZERS_SEEDED_FUZZER_H_

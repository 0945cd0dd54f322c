// libFuzzer's target: a model compared with a changed one. The first eight bytes are the seed of
// the change.
#include "tests/fuzz/model_fuzzer.h"
#include "tests/fuzz/report_finding.h"
#include "tests/fuzz/targets.h"

namespace {
constexpr size_t kSeedBytes = 8;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnxcmp::fuzz::ReportFinding(
      onnxcmp::fuzz::CompareModels({reinterpret_cast<const char*>(data), size}));
  return 0;
}

// Changes the change, or the model on both sides.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (size < kSeedBytes || seed % 3 != 0) {
    std::memcpy(data, &seed, std::min(size, sizeof(seed)));
    return size;
  }
  return kSeedBytes + onnxcmp::fuzz::MutateModelBytes(data + kSeedBytes, size - kSeedBytes,
                                                      max_size - kSeedBytes, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  if (left_size < kSeedBytes || right_size < kSeedBytes || max_size < kSeedBytes) return 0;
  std::memcpy(out, left, kSeedBytes);
  const size_t written = onnxcmp::fuzz::CrossModelBytes(
      left + kSeedBytes, left_size - kSeedBytes, right + kSeedBytes, right_size - kSeedBytes,
      out + kSeedBytes, max_size - kSeedBytes, seed);
  return written == 0 ? 0 : kSeedBytes + written;
}

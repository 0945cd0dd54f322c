// libFuzzer's target: models that are shown.
#include "tests/fuzz/fuzzers/model_fuzzer.h"
#include "tests/fuzz/fuzzers/report_finding.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnxcmp::fuzz::ReportFinding(
      onnxcmp::fuzz::ShowModel({reinterpret_cast<const char*>(data), size}));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return onnxcmp::fuzz::MutateModelBytes(data, size, max_size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return onnxcmp::fuzz::CrossModelBytes(left, left_size, right, right_size, out, max_size, seed);
}

// libFuzzer's target: a model compared with a changed one.
#include "tests/fuzz/fuzzers/report_finding.h"
#include "tests/fuzz/fuzzers/seeded_fuzzer.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnxcmp::fuzz::ReportFinding(
      onnxcmp::fuzz::CompareModels({reinterpret_cast<const char*>(data), size}));
  return 0;
}

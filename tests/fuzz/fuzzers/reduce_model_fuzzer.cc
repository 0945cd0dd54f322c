// libFuzzer's target: a model that is reduced.
#include "tests/fuzz/fuzzers/report_finding.h"
#include "tests/fuzz/fuzzers/seeded_fuzzer.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnxcmp::fuzz::ReportFinding(
      onnxcmp::fuzz::ReduceModel({reinterpret_cast<const char*>(data), size}));
  return 0;
}

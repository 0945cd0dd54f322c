// libFuzzer's target: answers of a runtime, changed by libFuzzer alone.
#include "tests/fuzz/fuzzers/report_finding.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnxcmp::fuzz::ReportFinding(
      onnxcmp::fuzz::AskAdapter({reinterpret_cast<const char*>(data), size}));
  return 0;
}

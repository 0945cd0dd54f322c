#ifndef ONNXCMP_TESTS_FUZZ_FUZZERS_REPORT_FINDING_H_
#define ONNXCMP_TESTS_FUZZ_FUZZERS_REPORT_FINDING_H_

#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"

namespace onnxcmp::fuzz {

// Ends the program, so that libFuzzer keeps the input, if a target came to an Internal error.
inline void ReportFinding(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_FUZZERS_REPORT_FINDING_H_

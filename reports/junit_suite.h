// A test report in JUnit's XML.
#ifndef ONNXCMP_REPORTS_JUNIT_SUITE_H_
#define ONNXCMP_REPORTS_JUNIT_SUITE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

class JunitSuite {
 public:
  // `kind`: "failure", "error", "skipped", or "" for a test that passes, which has no text.
  void Add(absl::string_view group, absl::string_view name, absl::string_view kind,
           absl::string_view message, absl::string_view text);

  // The whole report; `out` is the printed output.
  std::string Take(absl::string_view name, absl::string_view out) const;

 private:
  int tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
  std::string cases_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_JUNIT_SUITE_H_

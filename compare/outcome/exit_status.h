// The outcome of a comparison for callers that act on it.
#ifndef ONNXCMP_COMPARE_OUTCOME_EXIT_STATUS_H_
#define ONNXCMP_COMPARE_OUTCOME_EXIT_STATUS_H_

#include <string>

#include "absl/types/span.h"
#include "compare/outcome/comparison.h"

namespace onnxcmp {

// The program's exit status: 0 if the comparison does not fail, 1 if it does, 2 if a side failed or
// nothing could have shown a difference.
int ExitStatusOf(const Comparison& comparison);
// Why it fails although the outputs agree: "1 cause was named (--fail-on causes)", or that causes
// could not be searched; "" if it does not.
std::string OtherFailure(const Comparison& comparison);

// One of several comparisons, that of a set of inputs, in a line.
struct SetSummary {
  std::string name;
  Verdict verdict = Verdict::kSame;
  int exit_status = 0;
  std::string text;  // the first line of the verdict
};
// The worst of all.
Verdict OverallVerdict(absl::Span<const SetSummary> sets);
int OverallExitStatus(absl::Span<const SetSummary> sets);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_EXIT_STATUS_H_

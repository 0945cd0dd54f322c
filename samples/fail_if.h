// Conditions on figures under which a comparison fails: "top1 < 0.99".
#ifndef ONNXCMP_SAMPLES_FAIL_IF_H_
#define ONNXCMP_SAMPLES_FAIL_IF_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

struct FailIf {
  std::string figure;   // "top1", or "logits.top1" of one output
  std::string compare;  // "<", "<=", ">", ">=", "=="
  double limit = 0;

  // True for a figure beyond the limit; NaN always is.
  bool Fails(double figure_value) const;
  std::string Text() const;  // "top1 < 0.99"
};

struct FailIfResult {
  FailIf condition;
  double figure = 0;
  bool fails = false;
};

// InvalidArgument, with the form, for a text that is no condition.
absl::StatusOr<FailIf> ReadFailIf(absl::string_view text);

// Figures by name, a name of several outputs as each of "OUTPUT.NAME" and, with the worst of them,
// as NAME. InvalidArgument, with all names, for a condition on a figure that there is not.
absl::StatusOr<std::vector<FailIfResult>> CheckFailIf(
    const std::vector<FailIf>& conditions,
    const std::vector<std::pair<std::string, std::map<std::string, double>>>& by_output);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FAIL_IF_H_

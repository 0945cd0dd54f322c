#include "evaluator/base/os/processes.h"

#include "absl/strings/str_cat.h"

namespace onnxcmp {

std::string SignalText(int number) {
  const std::string description = SignalDescription(number);
  return absl::StrCat("signal ", number, " (", description.empty() ? "unknown" : description, ")");
}

}  // namespace onnxcmp

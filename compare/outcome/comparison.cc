#include "compare/outcome/comparison.h"

namespace onnxcmp {

absl::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kClose:
      return "close";
    case Verdict::kUntested:
      return "untested";
    case Verdict::kDifferent:
      return "different";
    case Verdict::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace onnxcmp

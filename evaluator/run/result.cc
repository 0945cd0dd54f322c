#include "evaluator/run/result.h"

namespace onnxcmp {

absl::string_view ResultKindName(ResultKind kind) {
  switch (kind) {
    case ResultKind::kInitializer:
      return "INITIALIZER";
    case ResultKind::kInput:
      return "INPUT";
    case ResultKind::kResult:
      return "RESULT";
    case ResultKind::kOutput:
      return "OUTPUT";
  }
  return "";
}

}  // namespace onnxcmp

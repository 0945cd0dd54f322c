#include "compare/causes/cause.h"

namespace onnxcmp {

absl::string_view CauseKindName(CauseKind kind) {
  switch (kind) {
    case CauseKind::kOperator:
      return "operator";
    case CauseKind::kInitializer:
      return "initializer";
    case CauseKind::kInput:
      return "input";
    case CauseKind::kPrecision:
      return "precision";
    case CauseKind::kApproximation:
      return "approximation";
    case CauseKind::kQuantization:
      return "quantization";
  }
  return "";
}

}  // namespace onnxcmp

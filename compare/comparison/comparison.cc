#include "compare/comparison/comparison.h"

namespace onnxcmp {

absl::string_view RelationName(Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return "same";
    case Relation::kClose:
      return "close";
    case Relation::kDifferent:
      return "different";
    case Relation::kLeftOnly:
      return "left_only";
    case Relation::kRightOnly:
      return "right_only";
  }
  return "";
}

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

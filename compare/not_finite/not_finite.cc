#include "compare/not_finite/not_finite.h"

namespace onnxcmp {

absl::string_view NotFiniteReasonName(NotFiniteReason reason) {
  switch (reason) {
    case NotFiniteReason::kGiven:
      return "given";
    case NotFiniteReason::kOverflow:
      return "overflow";
    case NotFiniteReason::kExponential:
      return "exponential";
    case NotFiniteReason::kDivisionByZero:
      return "division_by_zero";
    case NotFiniteReason::kLogarithm:
      return "logarithm";
    case NotFiniteReason::kRoot:
      return "root";
    case NotFiniteReason::kDomain:
      return "domain";
    case NotFiniteReason::kInfinityMinusInfinity:
      return "infinity_minus_infinity";
    case NotFiniteReason::kZeroTimesInfinity:
      return "zero_times_infinity";
    case NotFiniteReason::kMaskedRow:
      return "masked_row";
    case NotFiniteReason::kUnknown:
      break;
  }
  return "unknown";
}

bool IsWorthTelling(const NotFiniteOrigin& origin) {
  return origin.nan || origin.reason != NotFiniteReason::kGiven;
}

}  // namespace onnxcmp

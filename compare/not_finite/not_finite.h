// Where a side's numbers stop being finite: the results that are NaN or infinite although nothing
// that they were made from is, and how that came about.
#ifndef ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_H_
#define ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

enum class NotFiniteReason : uint8_t {
  kGiven,           // an initializer, an input, a constant holds it
  kOverflow,        // finite in double, beyond the greatest number of its type
  kExponential,     // the same, of an exponential
  kDivisionByZero,  // of anything, zero included
  kLogarithm,       // of zero or of a negative number
  kRoot,            // of a negative number
  kDomain,          // another function where it has no value: acos(2)
  kInfinityMinusInfinity,
  kZeroTimesInfinity,
  kMaskedRow,  // all that a softmax weighs is minus infinity
  kUnknown,
};
absl::string_view NotFiniteReasonName(NotFiniteReason reason);  // "given", "division_by_zero", ...

// An element that another one was made from.
struct MadeFrom {
  std::string name;   // of the result
  std::string index;  // "[0,12,3]"
  std::string value;  // as printed
};

struct NotFiniteOrigin {
  int result = kNone;
  // Of NaN, which nothing it reads has; else of infinities, and what it reads is finite.
  bool nan = false;
  int64_t elements = 0;  // that are so
  NotFiniteReason reason = NotFiniteReason::kUnknown;
  // The first such element, and what it was made from as far as that is known.
  std::string index;
  std::string value;
  std::vector<MadeFrom> made_from;
  std::string text;  // how it came about: "12.5 / 0"
};

struct NotFinite {
  // In the order of the results.
  std::vector<NotFiniteOrigin> origins;
  int64_t more = 0;     // origins that are left out
  int64_t results = 0;  // computed results that hold NaN or infinities, inherited ones included
};

// Whether a reader should hear of it unasked: masks are made of infinite constants.
bool IsWorthTelling(const NotFiniteOrigin& origin);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_H_

// Where a side's numbers stop being finite: results that are NaN or infinite although their inputs
// are finite, and the reason.
#ifndef ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_H_
#define ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

enum class NotFiniteReason : uint8_t {
  kGiven,           // an initializer, an input or a constant holds it
  kOverflow,        // finite in double, beyond the greatest number of its type
  kExponential,     // the same for an exponential
  kDivisionByZero,  // division of any number, including zero
  kLogarithm,       // logarithm of zero or of a negative number
  kRoot,            // root of a negative number
  kDomain,          // another function outside its domain: acos(2)
  kInfinityMinusInfinity,
  kZeroTimesInfinity,
  kMaskedRow,  // all inputs of a softmax are minus infinity
  kUnknown,
};
absl::string_view NotFiniteReasonName(NotFiniteReason reason);  // "given", "division_by_zero", ...

// An element that another one was computed from.
struct MadeFrom {
  std::string name;   // the result's
  std::string index;  // "[0,12,3]"
  std::string value;  // as printed
};

struct NotFiniteOrigin {
  int result = kNone;
  // True for NaN, which no input of its node has; false for infinities, whose inputs are finite.
  bool nan = false;
  int64_t elements = 0;  // number of such elements
  NotFiniteReason reason = NotFiniteReason::kUnknown;
  // The first such element, and the elements that it was computed from if they are known.
  std::string index;
  std::string value;
  std::vector<MadeFrom> made_from;
  std::string text;  // the computation: "12.5 / 0"
};

struct NotFinite {
  // In the order of the results.
  std::vector<NotFiniteOrigin> origins;
  int64_t more = 0;     // origins left out
  int64_t results = 0;  // computed results with NaN or infinities, propagated ones included
};

// True if a report should mention it without being asked: masks consist of infinite constants.
bool IsWorthTelling(const NotFiniteOrigin& origin);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_H_

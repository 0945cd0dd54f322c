// The difference of two values, element by element.
#ifndef ONNXCMP_RECORD_DIFFERENCES_VALUE_DIFFERENCE_H_
#define ONNXCMP_RECORD_DIFFERENCES_VALUE_DIFFERENCE_H_

#include <cstdint>
#include <string>

#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

struct ValueDifference {
  // True if they are of one type and shape, and within tolerance element by element and as a whole.
  bool agree() const { return reason.empty() && fault.empty() && beyond == 0; }

  // Why the values disagree before any element is compared ("shape [2,3] | [3,2]"), or "".
  std::string reason;
  int64_t elements = 0;  // pairs of elements that were compared
  int64_t beyond = 0;    // number of pairs that do not agree
  int64_t nans = 0;      // number of pairs that agree because both are NaN
  // Tolerance of the tensors compared (of the last one, if there are several): its atol includes
  // `scaled` times the scale.
  Tolerance tolerance;
  double scale = 0;
  // Distance of the whole tensors (whole_errors.h; the farthest of several; if not requested, the
  // root of the sum of squares relative to the greater side's), and the clause that says why they
  // disagree although each element is within tolerance, or "".
  double apart = 0;
  std::string fault;
  // Over pairs of finite elements; strings do not count.
  double rms = 0;     // root mean square of the differences
  double cosine = 1;  // cosine of the two as vectors; 1 if both are 0

  // Greatest |a - b| and |a - b| / max(|a|, |b|), and where: "[0,12,3]", in sequences and maps
  // after the element's position: "[2] [0,1]". 0 and "" if all pairs are equal; infinite if one of
  // a and b is NaN, or they differ and one is infinite. Strings: 1 if different.
  double max_absolute = 0;
  std::string max_absolute_at;
  std::string max_absolute_pair;  // the two elements: "0.41823566 | 0.41823602"
  double max_relative = 0;
  std::string max_relative_at;
};

// Element types and shapes have to be equal, except that with `floats_by_value` double, float,
// float16 and bfloat16 are compared by value, and a ZipMap's sequence of maps with the matrix that
// it was made of; sequences, maps and optionals are compared part by part.
ValueDifference DifferenceWithin(const Tolerances& tolerances, const Value& left,
                                 const Value& right, bool floats_by_value = false);
// With the defaults of each part's element type; integers are exact. Ignores `by_name`.
ValueDifference DifferenceOf(const Value& left, const Value& right, const ToleranceOptions& options,
                             bool floats_by_value = false);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_VALUE_DIFFERENCE_H_

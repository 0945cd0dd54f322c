// How far two values are apart, element by element.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_VALUE_DIFFERENCE_H_
#define ONNXCMP_COMPARE_DIFFERENCES_VALUE_DIFFERENCE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "evaluator/value.h"

namespace onnxcmp {

// Elements agree if |a - b| <= atol + rtol * max(|a|, |b|). NaN agrees with NaN, an infinity with
// itself.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

// What is expected of the same computation done in another order. docs/formats.md has the table.
Tolerance DefaultTolerance(DType dtype);

// What is given here holds for all numbers; the rest are the defaults of the element type. Bools
// and strings always have to be equal.
struct ToleranceOptions {
  std::optional<double> rtol;
  std::optional<double> atol;
  // Of results by name, or by path and name joined by '/'; goes before the others.
  absl::flat_hash_map<std::string, Tolerance> by_name;
};

struct ValueDifference {
  bool agree = true;
  // What makes the values disagree before any element is looked at ("shape [2,3] | [3,2]"), or "".
  std::string reason;
  int64_t elements = 0;  // pairs of elements that were compared
  int64_t beyond = 0;    // of them, pairs that do not agree
  int64_t nans = 0;      // of them, pairs that agree because both are NaN
  Tolerance tolerance;   // of the tensors compared (of the last one, if there are several)

  // Greatest |a - b| and |a - b| / max(|a|, |b|), and where: "[0,12,3]", in sequences and maps
  // behind the element's position: "[2] [0,1]". 0 and "" if all pairs are equal; infinite if one of
  // a and b is NaN, or they are different and one is infinite. Strings: 1 if different.
  double max_absolute = 0;
  std::string max_absolute_at;
  std::string max_absolute_pair;  // the two elements: "0.41823566 | 0.41823602"
  double max_relative = 0;
  std::string max_relative_at;
};

// By element types: `by_name` counts for nothing here.
ValueDifference DifferenceOf(const Value& left, const Value& right,
                             const ToleranceOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_VALUE_DIFFERENCE_H_

// Tolerances: how far apart two values may be and still agree. docs/tolerances.md justifies the
// numbers.
#ifndef ONNXCMP_RECORD_DIFFERENCES_TOLERANCE_H_
#define ONNXCMP_RECORD_DIFFERENCES_TOLERANCE_H_

#include <limits>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// Elements agree if |a - b| <= atol + scaled * scale + rtol * max(|a|, |b|), where the scale is
// that of the tensor (value_scale.h). NaN agrees with NaN, an infinity with itself. In addition,
// the tensor as a whole has to agree: the root mean square of the differences is at most `whole`
// times that of the values, and likewise for its parts (whole_errors.h).
struct Tolerance {
  double rtol = 0;
  double atol = 0;                                         // in the unit of the values
  double scaled = 0;                                       // in units of the scale
  double whole = std::numeric_limits<double>::infinity();  // no bound
  // Rounding goes in all directions: an error common to all elements is not rounding if it exceeds
  // this share of their size. Infinite: not checked.
  double systematic = std::numeric_limits<double>::infinity();

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// Tolerances of one value, whose parts may have several types.
struct Tolerances {
  Tolerances() = default;
  // The same for all numbers.
  Tolerances(const Tolerance& all) : floats(all), integers(all) {}  // NOLINT: a tolerance is one
  Tolerances(const Tolerance& of_floats, const Tolerance& of_integers)
      : floats(of_floats), integers(of_integers) {}

  const Tolerance& For(DType left, DType right) const {
    return IsInteger(left) && IsInteger(right) ? integers : floats;
  }

  friend bool operator==(const Tolerances&, const Tolerances&) = default;

  Tolerance floats;
  Tolerance integers;
};

// Tolerance for the same computation with numbers of this type in another order: exact for all but
// floats. For ToleranceOfQuantized, an integer type stands for numbers quantized to it.
Tolerance DefaultTolerance(DType dtype);
Tolerance ToleranceOfQuantized(DType integer);

// The wider one of each part.
Tolerance Wider(const Tolerance& a, const Tolerance& b);

// Tolerances set by the user. They hold for all numbers but discrete ones (indices, labels,
// counts), which are exact; unset ones are the defaults of the element type.
struct ToleranceOptions {
  // Replaces the relative parts: rtol, `scaled`, and `whole` up to kMostWhole.
  std::optional<double> rtol = std::nullopt;
  // Replaces the parts that are not relative to the element: atol and `scaled`.
  std::optional<double> atol = std::nullopt;
  // By result name, or by path and name joined by '/'; takes precedence over the others, and holds
  // for discrete numbers too. Only rtol and atol of these tolerances count.
  absl::flat_hash_map<std::string, Tolerance> by_name = {};
  // Compare outputs of other floating types by value, as for a model that was converted to 16 bits
  // as a whole.
  bool output_types_close = false;
};

// Differences as large as the values are never tolerated, whatever rtol allows for elements.
inline constexpr double kMostWhole = 0.3;

// A default with the options applied. Ignores `by_name`.
Tolerance Adjusted(const Tolerance& tolerance, const ToleranceOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_TOLERANCE_H_

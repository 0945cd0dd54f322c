// How far apart two values may be and still agree. docs/tolerances.md argues the numbers.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_TOLERANCE_H_
#define ONNXCMP_COMPARE_DIFFERENCES_TOLERANCE_H_

#include <limits>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// Elements agree if |a - b| <= atol + scaled * scale + rtol * max(|a|, |b|), where the scale is
// that of the tensor (value_scale.h). NaN agrees with NaN, an infinity with itself. Beside its
// elements a tensor as a whole agrees if the root mean square of the differences is at most `whole`
// times that of the values, and its parts do likewise (whole_errors.h).
struct Tolerance {
  double rtol = 0;
  double atol = 0;                                         // in the unit of the values
  double scaled = 0;                                       // in units of the scale
  double whole = std::numeric_limits<double>::infinity();  // no bound
  // Rounding goes in all directions: an error that all elements have in common is none if it is
  // more than this of their size. Infinite: nobody asks.
  double systematic = std::numeric_limits<double>::infinity();

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// Of one value, whose parts may be of several types.
struct Tolerances {
  Tolerances() = default;
  // One for all numbers.
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

// What is expected of the same computation with numbers of this type, done in another order: exact
// for all that are no floats. An integer type stands for numbers that were quantized to it in
// ToleranceOfQuantized.
Tolerance DefaultTolerance(DType dtype);
Tolerance ToleranceOfQuantized(DType integer);

// Of each part the wider.
Tolerance Wider(const Tolerance& a, const Tolerance& b);

// What is given here holds for all numbers but those that are discrete (indices, labels, counts),
// which are exact; the rest are the defaults of the element type.
struct ToleranceOptions {
  // Replaces what is relative: rtol, `scaled`, and `whole` up to kMostWhole.
  std::optional<double> rtol = std::nullopt;
  // Replaces what is not relative to the element: atol and `scaled`.
  std::optional<double> atol = std::nullopt;
  // Of results by name, or by path and name joined by '/'; goes before the others, and holds for
  // discrete numbers too. Of these tolerances rtol and atol count.
  absl::flat_hash_map<std::string, Tolerance> by_name = {};
  // Whether outputs of other floating types are compared by value, as those of a model that was
  // converted to 16 bits as a whole.
  bool output_types_close = false;
};

// A difference of the order of the values is none to tolerate, whatever rtol says of elements.
inline constexpr double kMostWhole = 0.3;

// A default as the options change it. `by_name` counts for nothing here.
Tolerance Adjusted(const Tolerance& tolerance, const ToleranceOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_TOLERANCE_H_

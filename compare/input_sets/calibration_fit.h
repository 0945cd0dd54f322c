// How well inputs fit what the scales of a quantized model were calibrated with.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_CALIBRATION_FIT_H_
#define ONNXCMP_COMPARE_INPUT_SETS_CALIBRATION_FIT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/input_sets/set_case.h"
#include "compare/outcome/comparison.h"

namespace onnxcmp {

// How far numbers reach towards the ends of the fixed scales along the way: 1 is the end. Where one
// side is not quantized, its numbers are measured, for those of the quantized side may be wrong.
struct CalibrationFit {
  size_t scales = 0;
  double typical = 0;   // the median
  double most = 0;      // the farthest but for the few that reach farthest
  double farthest = 0;  // the farthest

  // How unlike they are, from 1 on. Numbers of the right kind reach as far into all of them.
  double spread() const;
  // Factor that the inputs have to be multiplied by. A scale that alone is too small for its
  // numbers is a mistake that has to show, and no reason for smaller inputs.
  double Factor() const;
  // True if rounding alone may explain the differences of the sides.
  bool Fits() const;

  friend bool operator==(const CalibrationFit&, const CalibrationFit&) = default;
};

// "made up for scales that were calibrated: like their neighbours, 0.7 times as large as usual;
// numbers reach 0.95 of the range of most".
std::string FitText(const CalibrationFit& fit, const SetCase& one);

// Makes a case fit: neighbours that are alike, numbers from all of a range, longer axes (where
// there are any, and `longer`), and as large as reaches the ends of most scales. `fit`: that of
// `one`; `fit_on`: that of another, nothing if the models do not run on it.
absl::Status FitCase(
    absl::FunctionRef<absl::StatusOr<std::optional<CalibrationFit>>(const SetCase&)> fit_on,
    bool longer, SetCase* one, CalibrationFit* fit);

CalibrationFit FitOf(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_CALIBRATION_FIT_H_

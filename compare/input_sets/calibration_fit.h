// Measures how well inputs fit the calibration of a quantized model's scales.
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

// How far numbers reach towards the ends of the fixed scales: 1 is the end. If one side is not
// quantized, its numbers are measured, since those of the quantized side may be wrong.
struct CalibrationFit {
  size_t scales = 0;
  double typical = 0;   // the median
  double most = 0;      // the farthest but for the few that reach farthest
  double farthest = 0;  // the farthest

  // The spread of these reaches, at least 1. Numbers of the right kind reach equally far into all.
  double spread() const;
  // Factor for the inputs. A single scale that is too small for its numbers is a fault that has to
  // show, and no reason for smaller inputs.
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

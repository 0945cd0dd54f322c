#include "record/differences/value_difference.h"

#include "record/differences/value_walk.h"

namespace onnxcmp {

ValueDifference DifferenceWithin(const Tolerances& tolerances, const Value& left,
                                 const Value& right, bool floats_by_value) {
  const auto tolerance = [&](DType a, DType b) { return tolerances.For(a, b); };
  return WalkValues(left, right, {true, tolerance, 1, /*parts=*/true, floats_by_value}, nullptr)
      .values;
}

ValueDifference DifferenceOf(const Value& left, const Value& right, const ToleranceOptions& options,
                             bool floats_by_value) {
  const auto tolerance = [&](DType a, DType b) {
    if (IsInteger(a) && IsInteger(b)) return Tolerance();
    return Adjusted(Wider(DefaultTolerance(a), DefaultTolerance(b)), options);
  };
  return WalkValues(left, right, {true, tolerance, 1, /*parts=*/true, floats_by_value}, nullptr)
      .values;
}

}  // namespace onnxcmp

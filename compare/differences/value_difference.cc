#include "compare/differences/value_difference.h"

#include <algorithm>

#include "compare/differences/value_walk.h"

namespace onnxcmp {

Tolerance DefaultTolerance(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
    case DType::kComplex128:
      return {1e-9, 1e-12};
    case DType::kFloat:
    case DType::kComplex64:
      return {1e-4, 1e-5};
    case DType::kFloat16:
      return {1e-2, 5e-3};
    case DType::kBfloat16:
      return {4e-2, 3e-2};
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
      return {0.13, 0.02};
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return {0.26, 0.02};
    case DType::kFloat8E8M0:
    case DType::kFloat4E2M1:
      return {0.5, 0.5};
    default:
      return {0, 0};
  }
}

ValueDifference DifferenceOf(const Value& left, const Value& right,
                             const ToleranceOptions& options) {
  const auto tolerance = [&](DType left_type, DType right_type) {
    const Tolerance a = DefaultTolerance(left_type);
    const Tolerance b = DefaultTolerance(right_type);
    return Tolerance{options.rtol.value_or(std::max(a.rtol, b.rtol)),
                     options.atol.value_or(std::max(a.atol, b.atol))};
  };
  return WalkValues(left, right, {true, tolerance, 1}, nullptr).values;
}

}  // namespace onnxcmp

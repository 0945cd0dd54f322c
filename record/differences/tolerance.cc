#include "record/differences/tolerance.h"

#include <algorithm>

namespace onnxcmp {

// rtol, atol, scaled, whole, systematic: a scalar constant is rounded, too. docs/tolerances.md has
// measurements of correct pairs.
Tolerance DefaultTolerance(DType dtype) {
  // Two of float16's least numbers: subnormal numbers are rounded to a multiple of these.
  constexpr double kLeastHalves = 0x1p-23;
  switch (dtype) {
    case DType::kDouble:
    case DType::kComplex128:
      return {1e-9, 0, 1e-9, 1e-10, 2e-12};
    case DType::kFloat:
    case DType::kComplex64:
      return {1e-4, 0, 1e-4, 2e-5, 2e-6};
    case DType::kFloat16:
      return {1e-2, kLeastHalves, 2e-2, 4e-3, 1e-3};
    case DType::kBfloat16:
      return {4e-2, 0, 0.12, 3e-2, 8e-3};
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat6E2M3:
      return {0.13, 0, 0.4, 0.12, 0.06};
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat6E3M2:
      return {0.26, 0, 0.5, 0.2, 0.1};
    case DType::kFloat8E8M0:
    case DType::kFloat4E2M1:
      return {0.3, 0, 0.8, 0.25, 0.12};
    default:
      return {0, 0, 0, 0};
  }
}

Tolerance ToleranceOfQuantized(DType integer) {
  switch (BitWidth(integer)) {
    case 16:
      return {1e-2, 0, 2e-2, 6e-3, 1.2e-4};
    case 8:
      return {5e-2, 0, 0.4, 0.1, 2e-3};
    case 4:
      return {0.2, 0, 0.8, 0.25, 5e-3};
    case 2:
      return {0.4, 0, 1.3, 0.5, 8e-3};
    default:
      return {0, 0, 0, 0};
  }
}

Tolerance Wider(const Tolerance& a, const Tolerance& b) {
  return {std::max(a.rtol, b.rtol), std::max(a.atol, b.atol), std::max(a.scaled, b.scaled),
          std::max(a.whole, b.whole), std::max(a.systematic, b.systematic)};
}

Tolerance Adjusted(const Tolerance& tolerance, const ToleranceOptions& options) {
  Tolerance adjusted = tolerance;
  if (options.rtol.has_value()) {
    adjusted.rtol = *options.rtol;
    adjusted.scaled = *options.rtol;
    adjusted.whole = std::min(*options.rtol, kMostWhole);
  }
  if (options.atol.has_value()) {
    adjusted.atol = *options.atol;
    adjusted.scaled = 0;
  }
  // A user's tolerance covers systematic errors, too.
  if (options.rtol.has_value() || options.atol.has_value()) {
    adjusted.systematic = Tolerance().systematic;
  }
  return adjusted;
}

}  // namespace onnxcmp

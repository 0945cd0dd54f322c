#include <algorithm>
#include <cmath>
#include <cstdint>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/square_matrices.h"

namespace onnxcmp {
namespace {

// Gauss-Jordan elimination with partial pivoting: overwrites a, which is n x n, and leaves its
// inverse in y.
void Invert(double* a, double* y, int64_t n) {
  std::fill_n(y, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) y[i * n + i] = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap_ranges(y + k * n, y + (k + 1) * n, y + pivot * n);
    }
    const double diagonal = a[k * n + k];
    for (int64_t j = 0; j < n; ++j) {
      a[k * n + j] /= diagonal;
      y[k * n + j] /= diagonal;
    }
    for (int64_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i * n + k];
      for (int64_t j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        y[i * n + j] -= factor * y[k * n + j];
      }
    }
  }
}

// Inverse (com.microsoft 1): the inverses of the matrices in the last two dimensions; infinities
// and NaN for a singular one. Computed in double for all types.
absl::Status Inverse(KernelContext& ctx) {
  return EmitOfSquareMatrices(ctx, /*gives_matrices=*/true,
                              [](double* matrix, int64_t n, double* y) { Invert(matrix, y, n); });
}

}  // namespace

void RegisterContribInverse(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Inverse", {1}, Inverse);
}

}  // namespace onnxcmp

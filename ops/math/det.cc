#include <algorithm>
#include <cmath>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/square_matrices.h"

namespace onnxcmp {
namespace {

// Gaussian elimination with partial pivoting; overwrites a, which is n x n.
double Determinant(double* a, int64_t n) {
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      product = -product;
    }
    const double diagonal = a[k * n + k];
    product *= diagonal;
    if (diagonal == 0) continue;  // the column is 0: nothing to eliminate; 0 times NaN stays NaN
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / diagonal;
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

// Det (ai.onnx 11, 22): the determinants of the matrices in the last two dimensions; that of an
// empty matrix is 1. Computed in double for all types.
absl::Status Det(KernelContext& ctx) {
  return EmitOfSquareMatrices(
      ctx, /*gives_matrices=*/false,
      [](double* matrix, int64_t n, double* y) { *y = Determinant(matrix, n); });
}

}  // namespace

void RegisterDet(OpRegistry& registry) { registry.Add(kOnnxDomain, "Det", {11, 22}, Det); }

}  // namespace onnxcmp

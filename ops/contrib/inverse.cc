#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/load_store.h"

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
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
  if (x.rank() < 2 || x.dim(x.rank() - 1) != x.dim(x.rank() - 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must hold square matrices, not be ", ctx.Input(0).TypeString()));
  }
  const int64_t n = x.dim(x.rank() - 1);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, x.shape()));
  if (y.num_elements() > 0) {
    double* out = y.mutable_data<double>();
    const int64_t side = std::min<int64_t>(n, 32);  // larger ones are worth a task each
    ctx.pool().ParallelRanges(y.num_elements() / (n * n), 32768 / (side * side * side),
                              [&](int64_t begin, int64_t end) {
                                std::vector<double> matrix(static_cast<size_t>(n * n));
                                for (int64_t i = begin; i < end; ++i) {
                                  std::copy_n(x.data<double>() + i * n * n, n * n, matrix.data());
                                  Invert(matrix.data(), out + i * n * n, n);
                                }
                              });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterContribInverse(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Inverse", {1}, Inverse);
}

}  // namespace onnxcmp

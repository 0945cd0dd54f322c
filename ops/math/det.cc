#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/load_store.h"

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
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
  if (x.rank() < 2 || x.dim(x.rank() - 1) != x.dim(x.rank() - 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must hold square matrices, not be ", ctx.Input(0).TypeString()));
  }
  const int64_t n = x.dim(x.rank() - 1);
  const Shape shape(x.shape().begin(), x.shape().end() - 2);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, shape));
  double* out = y.mutable_data<double>();
  const int64_t side = std::clamp<int64_t>(n, 1, 32);  // larger ones are worth a task each
  ctx.pool().ParallelRanges(y.num_elements(), 32768 / (side * side * side),
                            [&](int64_t begin, int64_t end) {
                              std::vector<double> matrix(static_cast<size_t>(n * n));
                              for (int64_t i = begin; i < end; ++i) {
                                std::copy_n(x.data<double>() + i * n * n, n * n, matrix.data());
                                out[i] = Determinant(matrix.data(), n);
                              }
                            });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterDet(OpRegistry& registry) { registry.Add(kOnnxDomain, "Det", {11, 22}, Det); }

}  // namespace onnxcmp

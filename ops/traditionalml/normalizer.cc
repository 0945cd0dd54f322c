#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {
namespace {

double MaxOf(const double* x, int64_t count) {
  double max = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < count; ++i) max = std::max(max, x[i]);  // passes over NaN
  return max;
}

double AbsoluteSum(const double* x, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += std::abs(x[i]);
  return sum;
}

double Length(const double* x, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

// Normalizer (ai.onnx.ml 1): rows divided by their greatest element (MAX: not by the greatest
// absolute value, and NaN is passed over), the sum of absolute values (L1) or the root of the sum
// of squares (L2); rows with a divisor of 0 stay. Computed in double.
absl::StatusOr<Kernel> Normalizer(const KernelInit& node) {
  const std::string norm = node.String("norm");
  double (*divisor)(const double*, int64_t) = nullptr;
  if (norm == "MAX") divisor = MaxOf;
  if (norm == "L1") divisor = AbsoluteSum;
  if (norm == "L2") divisor = Length;
  if (divisor == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("norm '", norm, "' is unknown"));
  }
  return [divisor](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
    OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, x.shape()));
    TransformLanes<double>(ctx.pool(), x, {.outer = shape.rows, .length = shape.columns}, y,
                           [&](int64_t, const double* from, double* to) {
                             double by = divisor(from, shape.columns);
                             if (by == 0) by = 1;
                             for (int64_t i = 0; i < shape.columns; ++i) to[i] = from[i] / by;
                           });
    OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, DType::kFloat));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMlNormalizer(OpRegistry& registry) {
  registry.Add(kMlDomain, "Normalizer", {1}, Normalizer);
}

}  // namespace onnxcmp

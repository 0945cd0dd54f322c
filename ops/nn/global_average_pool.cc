#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/lanes.h"
#include "ops/common/load_store.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Average(KernelContext& ctx) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have batch and channels, not ", x.TypeString()));
  }
  Shape shape(x.shape().size(), 1);
  shape[0] = x.dim(0);
  shape[1] = x.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  if (y.num_elements() > 0) {
    const int64_t length = x.num_elements() / y.num_elements();
    C* means = y.mutable_data<C>();
    ctx.pool().ParallelRanges(
        y.num_elements(), LaneGrain(length, 1), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            means[i] = LaneSum(x.data<C>() + i * length, length) / static_cast<C>(length);
          }
        });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// GlobalAveragePool (ai.onnx 1, 22): Y[n, c] = the mean of X[n, c] over all spatial dimensions,
// which stay as ones. The mean of nothing is NaN.
absl::Status GlobalAveragePool(KernelContext& ctx) {
  return ctx.Input(0).dtype() == DType::kDouble ? Average<double>(ctx) : Average<float>(ctx);
}

}  // namespace

void RegisterGlobalAveragePool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GlobalAveragePool", {1, 22}, GlobalAveragePool);
}

}  // namespace onnxcmp

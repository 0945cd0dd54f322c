#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

absl::Status TransposeCast(KernelContext& ctx, DType to) {
  const Tensor& x = ctx.Input(0);
  if (x.rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("X must be a matrix, it is ", x.TypeString()));
  }
  const Tensor transposed =
      x.Strided({x.dim(1), x.dim(0)}, {x.strides()[1], x.strides()[0]}, x.offset());
  return DispatchFloat(x.dtype(), [&]<typename C>() -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<C>(ctx, transposed));
    OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<C>(ctx, loaded, to));
    return ctx.SetOutput(0, std::move(y));
  });
}

// Transpose2DCastFP16 (onnx_extended.ortops.optim.cuda 1): Cast(Transpose(X), to float16) of a
// matrix. Too large values become infinite.
absl::Status Transpose2DCastFP16(KernelContext& ctx) { return TransposeCast(ctx, DType::kFloat16); }

// Transpose2DCastFP32 (onnx_extended.ortops.optim.cuda 1): the same to float.
absl::Status Transpose2DCastFP32(KernelContext& ctx) { return TransposeCast(ctx, DType::kFloat); }

}  // namespace

void RegisterExtendedTransposeCast(OpRegistry& registry) {
  AddFusedKernel(registry, "Transpose2DCastFP16", Transpose2DCastFP16);
  AddFusedKernel(registry, "Transpose2DCastFP32", Transpose2DCastFP32);
}

}  // namespace onnxcmp

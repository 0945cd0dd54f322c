#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/movement/movement.h"
#include "ops/common/movement/scatter.h"
#include "ops/common/movement/tuple_offsets.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Tensor> ZerosOfShape(const KernelContext& ctx, DType dtype) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ctx.IntsInput(0));
  OC_ASSIGN_OR_RETURN(Tensor zeros, ctx.Allocate(dtype, shape));
  FillWithZeros(&zeros);
  return zeros;
}

// ScatterNDOfShape (onnx_extended.ortops.optim.cuda 1): ScatterND(zeros(shape), indices, updates).
// `strategy` says only how the CUDA kernel does it. That kernel knows the reduction "add" alone and
// moves indices that are out of range to the nearest one; here, as in Python, they are errors.
absl::StatusOr<Kernel> ScatterNDOfShape(const KernelInit& node) {
  const std::string strategy = node.String("strategy");
  if (strategy != "none" && strategy != "optimize") {
    return absl::InvalidArgumentError(absl::StrCat("there is no strategy \"", strategy, "\""));
  }
  OC_ASSIGN_OR_RETURN(const ScatterReduction reduction,
                      ScatterReductionNamed(node.String("reduction")));
  return [reduction](KernelContext& ctx) -> absl::Status {
    const Tensor& updates = ctx.Input(2);
    OC_ASSIGN_OR_RETURN(const Tensor zeros, ZerosOfShape(ctx, updates.dtype()));
    OC_ASSIGN_OR_RETURN(const TupleOffsets slices, OffsetsOfTuples(ctx, 1, zeros.shape()));
    OC_RETURN_IF_ERROR(CheckUpdates(slices, updates));
    OC_ASSIGN_OR_RETURN(Tensor result,
                        Scattered(ctx, zeros, updates, slices.offsets, slices.block, reduction));
    return ctx.SetOutput(0, std::move(result));
  };
}

// MaskedScatterNDOfShape (onnx_extended.ortops.optim.cuda 1): the same, but without the updates
// whose index is maskedValue. Only what the CUDA kernel knows: sums, and indices of rows.
absl::StatusOr<Kernel> MaskedScatterNDOfShape(const KernelInit& node) {
  if (const std::string reduction = node.String("reduction"); reduction != "add") {
    return absl::UnimplementedError(
        absl::StrCat("the reduction must be \"add\", it is \"", reduction, "\""));
  }
  return [masked = node.Int("maskedValue")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor updates, ctx.ContiguousInput(2));
    OC_ASSIGN_OR_RETURN(const Tensor zeros, ZerosOfShape(ctx, updates.dtype()));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, ctx.IntsInput(1));
    const Shape& indices_shape = ctx.Input(1).shape();
    if (zeros.rank() == 0 || indices_shape.empty() || indices_shape.back() != 1) {
      return absl::InvalidArgumentError(absl::StrCat("indices ", ctx.Input(1).TypeString(),
                                                     " are not indices of the rows of ",
                                                     zeros.TypeString()));
    }
    TupleOffsets rows;
    rows.shape.assign(indices_shape.begin(), indices_shape.end() - 1);
    rows.shape.insert(rows.shape.end(), zeros.shape().begin() + 1, zeros.shape().end());
    OC_RETURN_IF_ERROR(CheckUpdates(rows, updates));
    rows.block = *NumElements(absl::MakeConstSpan(zeros.shape()).subspan(1));
    std::vector<int64_t> kept;  // where the updates that count begin
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] == masked) continue;
      OC_ASSIGN_OR_RETURN(const int64_t row, NormalizeIndex(indices[i], 0, zeros.dim(0)));
      rows.offsets.push_back(row * rows.block);
      kept.push_back(static_cast<int64_t>(i) * rows.block);
    }
    Shape kept_shape = zeros.shape();
    kept_shape[0] = static_cast<int64_t>(kept.size());
    OC_ASSIGN_OR_RETURN(Tensor kept_updates, ctx.Allocate(updates.dtype(), kept_shape));
    GatherBlocks(updates, 1, 0, kept, rows.block, ctx.pool(), &kept_updates);
    OC_ASSIGN_OR_RETURN(Tensor result, Scattered(ctx, zeros, kept_updates, rows.offsets, rows.block,
                                                 ScatterReduction::kAdd));
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterExtendedScatterNdOfShape(OpRegistry& registry) {
  AddFusedKernel(registry, "ScatterNDOfShape", ScatterNDOfShape);
  AddFusedKernel(registry, "MaskedScatterNDOfShape", MaskedScatterNDOfShape);
}

}  // namespace onnxcmp

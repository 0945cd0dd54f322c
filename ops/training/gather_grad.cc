#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/element_offsets.h"
#include "ops/common/movement/movement.h"
#include "ops/common/movement/scatter.h"
#include "ops/common/movement/tuple_offsets.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// The gradients of the operators that select elements: zeros of the data's shape, to which dY is
// added where each element came from, in row-major order of dY. Narrow floats are rounded once.

absl::StatusOr<Tensor> Zeros(const KernelContext& ctx, DType dtype, int shape_input) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ctx.IntsInput(shape_input));
  OC_ASSIGN_OR_RETURN(Tensor zeros, ctx.Allocate(dtype, shape));
  FillWithZeros(&zeros);
  return zeros;
}

absl::Status EmitSum(KernelContext& ctx, const Tensor& zeros, const Tensor& dy,
                     absl::Span<const int64_t> offsets, int64_t block) {
  OC_ASSIGN_OR_RETURN(Tensor dx, Scattered(ctx, zeros, dy, offsets, block, ScatterReduction::kAdd));
  return ctx.SetOutput(0, std::move(dx));
}

// GatherGrad (com.microsoft 1), inputs: the data's shape, the indices, dY.
Kernel GatherGrad(const KernelInit& node) {
  return [attribute = node.Int("axis")](KernelContext& ctx) -> absl::Status {
    const Tensor& dy = ctx.Input(2);
    OC_ASSIGN_OR_RETURN(const Tensor zeros, Zeros(ctx, dy.dtype(), 0));
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, zeros.rank()));
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> indices, ctx.IntsInput(1));
    OC_RETURN_IF_ERROR(NormalizeIndices(absl::MakeSpan(indices), axis, zeros.dim(axis)));
    const auto split = static_cast<size_t>(axis);
    const absl::Span<const int64_t> dims = zeros.shape();
    const absl::Span<const int64_t> in_place = ctx.Input(1).shape();
    TupleOffsets slices;
    slices.block = *NumElements(dims.subspan(split + 1));
    slices.shape.assign(dims.begin(), dims.begin() + axis);
    slices.shape.insert(slices.shape.end(), in_place.begin(), in_place.end());
    slices.shape.insert(slices.shape.end(), dims.begin() + axis + 1, dims.end());
    OC_RETURN_IF_ERROR(CheckUpdates(slices, dy));
    const int64_t outer = *NumElements(dims.first(split));
    for (int64_t o = 0; o < outer; ++o) {
      for (const int64_t index : indices) {
        slices.offsets.push_back((o * zeros.dim(axis) + index) * slices.block);
      }
    }
    return EmitSum(ctx, zeros, dy, slices.offsets, slices.block);
  };
}

// GatherNDGrad (com.microsoft 1), inputs: the data's shape, the indices, dY.
Kernel GatherNDGrad(const KernelInit& node) {
  return [batch_dims = node.Int("batch_dims")](KernelContext& ctx) -> absl::Status {
    const Tensor& dy = ctx.Input(2);
    OC_ASSIGN_OR_RETURN(const Tensor zeros, Zeros(ctx, dy.dtype(), 0));
    OC_ASSIGN_OR_RETURN(const TupleOffsets slices,
                        OffsetsOfTuples(ctx, 1, zeros.shape(), batch_dims));
    OC_RETURN_IF_ERROR(CheckUpdates(slices, dy));
    return EmitSum(ctx, zeros, dy, slices.offsets, slices.block);
  };
}

// GatherElementsGrad (com.microsoft 1), inputs: dY, the data's shape, the indices.
Kernel GatherElementsGrad(const KernelInit& node) {
  return [attribute = node.Int("axis")](KernelContext& ctx) -> absl::Status {
    const Tensor& dy = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const Tensor zeros, Zeros(ctx, dy.dtype(), 1));
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, zeros.rank()));
    OC_ASSIGN_OR_RETURN(const ElementOffsets elements, ElementOffsets::Create(ctx, 2, zeros, axis));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, elements.LoadAll(ctx.pool()));
    if (dy.shape() != ctx.Input(2).shape()) {
      return absl::InvalidArgumentError(absl::StrCat("dY ", dy.TypeString(), " and indices ",
                                                     ctx.Input(2).TypeString(),
                                                     " must have one shape"));
    }
    return EmitSum(ctx, zeros, dy, offsets, 1);
  };
}

}  // namespace

void RegisterTrainingGatherGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatherElementsGrad", {1}, GatherElementsGrad);
  registry.Add(kMicrosoftDomain, "GatherGrad", {1}, GatherGrad);
  registry.Add(kMicrosoftDomain, "GatherNDGrad", {1}, GatherNDGrad);
}

}  // namespace onnxcmp

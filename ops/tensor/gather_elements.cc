#include <cstdint>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/element_offsets.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// GatherElements (ai.onnx 11, 13): output[i, j, ...] = data[i, indices[i, j, ...], ...], the index
// standing at `axis`. Indices may be smaller than data along the other axes.
Kernel GatherElements(const KernelInit& node) {
  const int64_t attribute = node.Int("axis");
  return [attribute](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, ctx.Input(0).rank()));
    OC_ASSIGN_OR_RETURN(const Tensor data, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(const ElementOffsets offsets, ElementOffsets::Create(ctx, 1, data, axis));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(data.dtype(), ctx.Input(1).shape()));
    const bool in_range = TakeElements(
        data,
        [&](int64_t first, int64_t count, int64_t* to) { return offsets.Load(first, count, to); },
        ctx.pool(), &result);
    if (!in_range) return offsets.RangeError();
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterGatherElements(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GatherElements", {11, 13}, GatherElements);
}

}  // namespace onnxcmp

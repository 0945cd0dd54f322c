#include <cstdint>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/movement/tuple_offsets.h"

namespace onnxcmp {
namespace {

// GatherND (ai.onnx 11, 12, 13; com.microsoft 1): output[b..., i...] = data[b..., indices[b...,
// i..., :], ...]: the last dimension of indices is a tuple of indices into data's axes after its
// `batch_dims` first ones (0 in ai.onnx 11 and com.microsoft), and selects an element or a slice.
Kernel GatherND(const KernelInit& node) {
  const int64_t batch_dims = node.version() < 12 ? 0 : node.Int("batch_dims");
  return [batch_dims](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor data, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(const TupleOffsets slices,
                        OffsetsOfTuples(ctx, 1, data.shape(), batch_dims));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(data.dtype(), slices.shape));
    GatherBlocks(data, 1, 0, slices.offsets, slices.block, ctx.pool(), &result);
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterGatherNd(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GatherND", {11, 12, 13}, GatherND);
  registry.Add(kMicrosoftDomain, "GatherND", {1}, GatherND);
}

}  // namespace onnxcmp

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/scatter.h"
#include "ops/common/movement/tuple_offsets.h"

namespace onnxcmp {
namespace {

// ScatterND (ai.onnx 11, 13, 16, 18): output = data, but
// output[indices[i..., :], ...] = f(output[...], updates[i..., ...]): the last dimension of indices
// is a tuple of indices into data's first axes and selects an element or a slice; f is the update
// alone, or add, mul (from 16 on), max, min (from 18 on). Without a reduction the last of several
// updates of an element stays (the text forbids them).
absl::StatusOr<Kernel> ScatterND(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ScatterReduction reduction, ReadScatterReduction(node));
  return [reduction](KernelContext& ctx) -> absl::Status {
    const Tensor& data = ctx.Input(0);
    const Tensor& updates = ctx.Input(2);
    OC_ASSIGN_OR_RETURN(const TupleOffsets slices, OffsetsOfTuples(ctx, 1, data.shape()));
    OC_RETURN_IF_ERROR(CheckUpdates(slices, updates));
    OC_ASSIGN_OR_RETURN(Tensor result,
                        Scattered(ctx, data, updates, slices.offsets, slices.block, reduction));
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterScatterNd(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ScatterND", {11, 13, 16, 18}, ScatterND);
}

}  // namespace onnxcmp

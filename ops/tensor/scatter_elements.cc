#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/element_offsets.h"
#include "ops/common/movement/scatter.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// ScatterElements (ai.onnx 11, 13, 16, 18), Scatter (ai.onnx 9, 11), its former name:
// output = data, but output[i, indices[i, j, ...], ...] = f(output[...], updates[i, j, ...]), the
// index standing at `axis`; f is the update alone, or add, mul (from 16 on), max, min (from 18 on).
// Without a reduction the last of several updates of an element stays (the text forbids them).
absl::StatusOr<Kernel> ScatterElements(const KernelInit& node) {
  const int64_t attribute = node.Int("axis");
  ScatterReduction reduction = ScatterReduction::kNone;
  if (node.node().op_type != "Scatter") {
    OC_ASSIGN_OR_RETURN(reduction, ReadScatterReduction(node));
  }
  return [attribute, reduction](KernelContext& ctx) -> absl::Status {
    const Tensor& data = ctx.Input(0);
    const Tensor& updates = ctx.Input(2);
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, data.rank()));
    OC_ASSIGN_OR_RETURN(const ElementOffsets elements, ElementOffsets::Create(ctx, 1, data, axis));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, elements.LoadAll(ctx.pool()));
    if (updates.shape() != ctx.Input(1).shape()) {
      return absl::InvalidArgumentError(absl::StrCat("updates ", updates.TypeString(),
                                                     " and indices ", ctx.Input(1).TypeString(),
                                                     " must have one shape"));
    }
    OC_ASSIGN_OR_RETURN(Tensor result, Scattered(ctx, data, updates, offsets, 1, reduction));
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterScatterElements(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ScatterElements", {11, 13, 16, 18}, ScatterElements);
  registry.Add(kOnnxDomain, "Scatter", {9, 11}, ScatterElements);
}

}  // namespace onnxcmp

#include <cstdint>
#include <utility>
#include <vector>

#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/slices.h"

namespace onnxcmp {
namespace {

absl::Status EmitSlice(KernelContext& ctx, const Slicing& slicing) {
  OC_ASSIGN_OR_RETURN(Tensor slice, Sliced(ctx.Input(0), slicing));
  return ctx.SetOutput(0, std::move(slice));
}

// Slice (ai.onnx 1, 10, 11, 13): data[..., start : end : step, ...] on the axes given, a view.
// Bounds may be negative and are clamped. Version 1 has attributes and no steps, later ones have
// inputs.
Kernel Slice(const KernelInit& node) {
  if (node.version() == 1) {
    Slicing slicing;
    slicing.starts = node.Ints("starts");
    slicing.ends = node.Ints("ends");
    slicing.axes = node.Has("axes") ? node.Ints("axes") : FirstAxes(slicing.starts.size());
    slicing.steps.assign(slicing.starts.size(), 1);
    return [slicing = std::move(slicing)](KernelContext& ctx) { return EmitSlice(ctx, slicing); };
  }
  return [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Slicing slicing, SlicingInputs(ctx, 1));
    return EmitSlice(ctx, slicing);
  };
}

}  // namespace

void RegisterSlice(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Slice", {1, 10, 11, 13}, Slice);
}

}  // namespace onnxcmp

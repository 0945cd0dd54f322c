#include <cstdint>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/slices.h"

namespace onnxcmp {
namespace {

absl::Status EmitSlice(KernelContext& ctx, const Slicing& slicing) {
  OC_ASSIGN_OR_RETURN(Tensor slice, Sliced(ctx.Input(0), slicing));
  return ctx.SetOutput(0, std::move(slice));
}

// Slice (ai.onnx 1, 10, 11, 13): data[..., start : end : step, ...] on the axes given, a view.
// Bounds may be negative and are clamped. Version 1 has attributes and no steps, later ones have
// inputs.
Kernel SliceByAttributes(const KernelInit& node) {
  Slicing slicing;
  slicing.starts = node.Ints("starts");
  slicing.ends = node.Ints("ends");
  slicing.axes = node.Has("axes") ? node.Ints("axes") : FirstAxes(slicing.starts.size());
  slicing.steps.assign(slicing.starts.size(), 1);
  return [slicing = std::move(slicing)](KernelContext& ctx) { return EmitSlice(ctx, slicing); };
}

// Also DynamicSlice (ai.onnx 1), the experimental operator that became version 10; it has no steps.
absl::Status SliceByInputs(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Slicing slicing, SlicingInputs(ctx, 1));
  return EmitSlice(ctx, slicing);
}

}  // namespace

void RegisterSlice(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Slice", {1}, SliceByAttributes);
  registry.Add(kOnnxDomain, "Slice", {10, 11, 13}, SliceByInputs);
  registry.Add(kOnnxDomain, "DynamicSlice", {1}, SliceByInputs);
}

}  // namespace onnxcmp

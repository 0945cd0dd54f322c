#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/axes.h"

namespace onnxcmp {
namespace {

// One axis after clamping: elements first, first + step, ..., `size` of them.
struct SlicedAxis {
  int64_t first;
  int64_t size;
};

// The elements of an axis of `dim` elements that start : end : step selects; step is not 0.
SlicedAxis Select(int64_t start, int64_t end, int64_t step, int64_t dim) {
  if (dim == 0) return {0, 0};
  // A negative bound plus dim does not overflow.
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  uint64_t distance = 0;
  uint64_t stride = static_cast<uint64_t>(step);
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, dim);
    end = std::clamp<int64_t>(end, 0, dim);
    if (end > start) distance = static_cast<uint64_t>(end - start);
  } else {
    start = std::clamp<int64_t>(start, 0, dim - 1);
    end = std::clamp<int64_t>(end, -1, dim - 1);
    if (start > end) distance = static_cast<uint64_t>(start - end);
    stride = 0 - stride;  // |step|, also of INT64_MIN
  }
  if (distance == 0) return {0, 0};
  return {start, static_cast<int64_t>((distance - 1) / stride) + 1};
}

absl::Status SliceTensor(KernelContext& ctx, absl::Span<const int64_t> starts,
                         absl::Span<const int64_t> ends, absl::Span<const int64_t> axes,
                         absl::Span<const int64_t> steps) {
  const Tensor& data = ctx.Input(0);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("starts, ends, axes and steps differ in length: ", starts.size(), ", ",
                     ends.size(), ", ", axes.size(), ", ", steps.size()));
  }
  OC_ASSIGN_OR_RETURN(Axes normalized, NormalizeAxes(axes, data.rank()));
  Shape shape = data.shape();
  Shape strides = data.strides();
  int64_t offset = data.offset();
  for (size_t i = 0; i < starts.size(); ++i) {
    if (steps[i] == 0) {
      return absl::InvalidArgumentError(absl::StrCat("the step of axis ", axes[i], " is 0"));
    }
    const auto axis = static_cast<size_t>(normalized[i]);
    const SlicedAxis range = Select(starts[i], ends[i], steps[i], shape[axis]);
    offset += range.first * strides[axis];
    // With one element the step plays no part, and might overflow.
    if (range.size > 1) strides[axis] *= steps[i];
    shape[axis] = range.size;
  }
  return ctx.SetOutput(0, data.Strided(shape, strides, offset));
}

std::vector<int64_t> FirstAxes(size_t count) {
  std::vector<int64_t> axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Slice (ai.onnx 1, 10, 11, 13): data[..., start : end : step, ...] on the axes given, a view.
// Bounds may be negative and are clamped. Version 1 has attributes and no steps, later ones have
// inputs.
Kernel Slice(const KernelInit& node) {
  if (node.version() == 1) {
    std::vector<int64_t> starts = node.Ints("starts");
    std::vector<int64_t> axes = node.Has("axes") ? node.Ints("axes") : FirstAxes(starts.size());
    return [starts = std::move(starts), ends = node.Ints("ends"),
            axes = std::move(axes)](KernelContext& ctx) {
      return SliceTensor(ctx, starts, ends, axes, std::vector<int64_t>(starts.size(), 1));
    };
  }
  return [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> starts, ctx.IntsInput(1));
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> ends, ctx.IntsInput(2));
    std::vector<int64_t> axes;
    if (ctx.HasInput(3)) {
      OC_ASSIGN_OR_RETURN(axes, ctx.IntsInput(3));
    } else {
      axes = FirstAxes(starts.size());
    }
    std::vector<int64_t> steps(starts.size(), 1);
    if (ctx.HasInput(4)) {
      OC_ASSIGN_OR_RETURN(steps, ctx.IntsInput(4));
    }
    return SliceTensor(ctx, starts, ends, axes, steps);
  };
}

}  // namespace

void RegisterSlice(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Slice", {1, 10, 11, 13}, Slice);
}

}  // namespace onnxcmp

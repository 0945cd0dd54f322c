#include "ops/common/shapes/slices.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/shapes/axes.h"

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

}  // namespace

std::vector<int64_t> FirstAxes(size_t count) {
  std::vector<int64_t> axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

absl::StatusOr<Slicing> SlicingInputs(const KernelContext& ctx, int first) {
  Slicing slicing;
  OC_ASSIGN_OR_RETURN(slicing.starts, ctx.IntsInput(first));
  OC_ASSIGN_OR_RETURN(slicing.ends, ctx.IntsInput(first + 1));
  if (ctx.HasInput(first + 2)) {
    OC_ASSIGN_OR_RETURN(slicing.axes, ctx.IntsInput(first + 2));
  } else {
    slicing.axes = FirstAxes(slicing.starts.size());
  }
  if (ctx.HasInput(first + 3)) {
    OC_ASSIGN_OR_RETURN(slicing.steps, ctx.IntsInput(first + 3));
  } else {
    slicing.steps.assign(slicing.starts.size(), 1);
  }
  return slicing;
}

absl::StatusOr<Tensor> Sliced(const Tensor& data, const Slicing& slicing) {
  const auto& [starts, ends, axes, steps] = slicing;
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
  return data.Strided(shape, strides, offset);
}

}  // namespace onnxcmp

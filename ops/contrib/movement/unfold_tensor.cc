#include <cstdint>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// UnfoldTensor (com.microsoft 1): windows of `size` elements along axis `dim`, `step` apart, as
// torch.Tensor.unfold has it: the axis counts the windows, and a last dimension is appended that
// counts the elements of each. A view.
absl::StatusOr<Kernel> UnfoldTensor(const KernelInit& node) {
  const int64_t dim = node.Int("dim");
  const int64_t size = node.Int("size");
  const int64_t step = node.Int("step");
  if (size < 1 || step < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("size and step must be at least 1, not ", size, " and ", step));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const int normalized, NormalizeAxis(dim, x.rank()));
    const auto axis = static_cast<size_t>(normalized);
    if (size > x.shape()[axis]) {
      return absl::InvalidArgumentError(absl::StrCat("a window of ", size,
                                                     " elements does not fit into axis ", axis,
                                                     " of size ", x.shape()[axis]));
    }
    Shape shape = x.shape();
    Shape strides = x.strides();
    shape[axis] = (x.shape()[axis] - size) / step + 1;
    shape.push_back(size);
    strides.push_back(strides[axis]);
    // With one window the step plays no part, and might overflow.
    if (shape[axis] > 1) strides[axis] *= step;
    OC_RETURN_IF_ERROR(ctx.CheckSize(x.dtype(), shape));
    return ctx.SetOutput(0, x.Strided(shape, strides, x.offset()));
  };
}

}  // namespace

void RegisterContribUnfoldTensor(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "UnfoldTensor", {1}, UnfoldTensor);
}

}  // namespace onnxcmp

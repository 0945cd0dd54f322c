#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// CenterCropPad (ai.onnx 18): the middle of the input, or the input in the middle of zeros (empty
// strings), along the axes; the odd element is cut or added at the end.
Kernel CenterCropPad(const KernelInit& node) {
  const bool has_axes = node.Has("axes");
  return [has_axes, attribute = node.Ints("axes")](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    Axes axes;
    for (int i = 0; i < x.rank() && !has_axes; ++i) axes.push_back(i);
    if (has_axes) {
      OC_ASSIGN_OR_RETURN(axes, NormalizeAxes(attribute, x.rank()));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, ctx.IntsInput(1));
    if (sizes.size() != axes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape has ", sizes.size(), " values for ", axes.size(), " axes"));
    }
    Shape shape = x.shape();
    for (size_t i = 0; i < axes.size(); ++i) shape[static_cast<size_t>(axes[i])] = sizes[i];
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), shape));
    Tensor part = x;
    int64_t first = 0;  // of the part in y
    for (int axis = 0; axis < x.rank(); ++axis) {
      const int64_t have = x.dim(axis);
      const int64_t want = y.dim(axis);
      part = Narrowed(part, axis, std::max<int64_t>(0, have - want) / 2, std::min(have, want));
      first += std::max<int64_t>(0, want - have) / 2 * y.strides()[static_cast<size_t>(axis)];
    }
    if (part.num_elements() < y.num_elements() && x.dtype() != DType::kString) {
      std::memset(y.mutable_raw_data(), 0, static_cast<size_t>(y.byte_size()));
    }
    CopyIntoBlock(part, y.strides(), first, ctx.pool(), &y);
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterCenterCropPad(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "CenterCropPad", {18}, CenterCropPad);
}

}  // namespace onnxcmp

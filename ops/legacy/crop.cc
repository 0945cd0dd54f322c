#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

bool AnyNegative(const std::vector<int64_t>& values) {
  return std::any_of(values.begin(), values.end(), [](int64_t value) { return value < 0; });
}

// Crop (ai.onnx 1, experimental, removed in 10): the image N x C x H x W without `border` (left,
// top, right, bottom); with `scale` (height, width) of this size, counted from the left and top
// border, and the right and bottom ones only have to fit. A view.
absl::StatusOr<Kernel> Crop(const KernelInit& node) {
  const std::vector<int64_t> border = node.Ints("border");
  const std::vector<int64_t> scale = node.Ints("scale");
  if (border.size() != 4 || AnyNegative(border)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "border must hold 4 numbers of at least 0, not (", absl::StrJoin(border, ", "), ")"));
  }
  if ((!scale.empty() && scale.size() != 2) || AnyNegative(scale)) {
    return absl::InvalidArgumentError(absl::StrCat("scale must hold 2 numbers of at least 0, not (",
                                                   absl::StrJoin(scale, ", "), ")"));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    Tensor x = ctx.Input(0);
    if (x.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("the input must have rank 4, not be ", x.TypeString()));
    }
    for (const size_t i : {size_t{0}, size_t{1}}) {  // rows, columns
      const int axis = static_cast<int>(i) + 2;
      const int64_t dim = x.dim(axis);
      const int64_t before = border[1 - i];
      const int64_t after = border[3 - i];
      // Differences of numbers that are not negative: they do not overflow.
      int64_t size = dim - before - std::min(after, dim);
      if (after > dim - before) size = -1;
      if (size >= 0 && !scale.empty()) size = scale[i] <= dim - before ? scale[i] : -1;
      if (size < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("cannot crop axis ", axis, " of size ", dim, " by ", before, " and ",
                         after, scale.empty() ? "" : absl::StrCat(" to ", scale[i])));
      }
      x = Narrowed(x, axis, before, size);
    }
    return ctx.SetOutput(0, std::move(x));
  };
}

}  // namespace

void RegisterLegacyCrop(OpRegistry& registry) { registry.Add(kOnnxDomain, "Crop", {1}, Crop); }

}  // namespace onnxcmp

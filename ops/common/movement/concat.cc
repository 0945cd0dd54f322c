#include "ops/common/movement/concat.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// The tensors' shape with the sum of their sizes along `axis`.
absl::StatusOr<Shape> ConcatShape(absl::Span<const Tensor> tensors, int axis) {
  Shape shape = tensors[0].shape();
  int64_t& total = shape[static_cast<size_t>(axis)];
  for (const Tensor& tensor : tensors.subspan(1)) {
    bool fits = tensor.shape().size() == shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d) {
      fits = static_cast<int>(d) == axis || tensor.shape()[d] == shape[d];
    }
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat("cannot concatenate ", tensor.TypeString(),
                                                     " to ", tensors[0].TypeString(),
                                                     " along axis ", axis));
    }
    if (__builtin_add_overflow(total, tensor.dim(axis), &total)) {
      return absl::InvalidArgumentError(absl::StrCat("the sizes along axis ", axis, " overflow"));
    }
  }
  return shape;
}

}  // namespace

absl::StatusOr<Tensor> Concatenated(const KernelContext& ctx, absl::Span<const Tensor> tensors,
                                    int axis) {
  OC_ASSIGN_OR_RETURN(Shape shape, ConcatShape(tensors, axis));
  if (tensors.size() == 1) return tensors[0];
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(tensors[0].dtype(), shape));
  const Shape strides = result.strides();
  int64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    CopyIntoBlock(tensor, strides, offset, ctx.pool(), &result);
    offset += tensor.dim(axis) * strides[static_cast<size_t>(axis)];
  }
  return result;
}

}  // namespace onnxcmp

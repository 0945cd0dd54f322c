#include <cstdint>

#include "absl/strings/str_cat.h"
#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/axes.h"
#include "ops/common/movement.h"

namespace onnxcmp {
namespace {

// The inputs' shape with the sum of their sizes along `axis`.
absl::StatusOr<Shape> ConcatShape(const KernelContext& ctx, int axis) {
  Shape shape = ctx.Input(0).shape();
  int64_t& total = shape[static_cast<size_t>(axis)];
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const Tensor& input = ctx.Input(i);
    bool fits = input.shape().size() == shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d) {
      fits = static_cast<int>(d) == axis || input.shape()[d] == shape[d];
    }
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat("cannot concatenate ", input.TypeString(),
                                                     " to ", ctx.Input(0).TypeString(),
                                                     " along axis ", axis));
    }
    if (__builtin_add_overflow(total, input.dim(axis), &total)) {
      return absl::InvalidArgumentError(absl::StrCat("the sizes along axis ", axis, " overflow"));
    }
  }
  return shape;
}

// Concat (ai.onnx 1, 4, 11, 13): the inputs one behind the other along `axis` (in version 1, 1 by
// default).
Kernel Concat(const KernelInit& node) {
  const int64_t attribute = node.version() == 1 ? node.Int("axis", 1) : node.Int("axis");
  return [attribute](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(attribute, ctx.Input(0).rank()));
    OC_ASSIGN_OR_RETURN(Shape shape, ConcatShape(ctx, axis));
    if (ctx.num_inputs() == 1) return ctx.SetOutput(0, ctx.Input(0));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(ctx.Input(0).dtype(), shape));
    const Shape strides = result.strides();
    int64_t offset = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      CopyIntoBlock(ctx.Input(i), strides, offset, ctx.pool(), &result);
      offset += ctx.Input(i).dim(axis) * strides[static_cast<size_t>(axis)];
    }
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterConcat(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Concat", {1, 4, 11, 13}, Concat);
}

}  // namespace onnxcmp

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// ExpandDims (com.microsoft 1): a dimension of 1 at `axis`, which is an axis of the output: -1
// appends. A view.
absl::Status ExpandDims(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  if (ctx.Input(1).rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis must be a scalar, not ", ctx.Input(1).TypeString()));
  }
  OC_ASSIGN_OR_RETURN(const int64_t given, ctx.ScalarInput<int64_t>(1));
  OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(given, x.rank() + 1));
  Shape shape = x.shape();
  Shape strides = x.strides();
  shape.insert(shape.begin() + axis, 1);
  strides.insert(strides.begin() + axis, 1);
  return ctx.SetOutput(0, WithShape(x, shape, strides));
}

}  // namespace

void RegisterContribExpandDims(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "ExpandDims", {1}, ExpandDims);
}

}  // namespace onnxcmp

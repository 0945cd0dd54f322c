#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/slices.h"

namespace onnxcmp {
namespace {

// SliceGrad (com.microsoft 1), inputs: dY, the data's shape, starts, ends, axes, steps. Zeros of
// the data's shape, with dY where Slice took its elements from.
absl::Status SliceGrad(KernelContext& ctx) {
  const Tensor& dy = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ctx.IntsInput(1));
  OC_ASSIGN_OR_RETURN(const Slicing slicing, SlicingInputs(ctx, 2));
  OC_ASSIGN_OR_RETURN(Tensor dx, ctx.Allocate(dy.dtype(), shape));
  FillWithZeros(&dx);
  Shape strides;
  int64_t offset = 0;
  {
    OC_ASSIGN_OR_RETURN(const Tensor slice, Sliced(dx, slicing));
    if (slice.shape() != dy.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("dY is ", dy.TypeString(), ", the slice is ", slice.TypeString()));
    }
    strides = slice.strides();
    offset = slice.offset();
  }
  if (dy.num_elements() > 0) CopyIntoBlock(dy, strides, offset, ctx.pool(), &dx);
  return ctx.SetOutput(0, std::move(dx));
}

}  // namespace

void RegisterTrainingSliceGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "SliceGrad", {1}, SliceGrad);
}

}  // namespace onnxcmp

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// Flatten (ai.onnx 1, 9, 11, 13, 21, 23, 24, 25): (d_0 * ... * d_{axis-1}, d_axis * ... * d_n); a
// view of a contiguous input. `axis` may be the rank itself.
Kernel Flatten(const KernelInit& node) {
  const int64_t axis = node.Int("axis");
  return [axis](KernelContext& ctx) -> absl::Status {
    const int64_t rank = ctx.Input(0).rank();
    if (axis < -rank || axis > rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " is out of range for rank ", rank));
    }
    OC_ASSIGN_OR_RETURN(Tensor input, ctx.ContiguousInput(0));
    const absl::Span<const int64_t> shape = input.shape();
    const auto split = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    return ctx.SetOutput(
        0, input.Reshaped({*NumElements(shape.first(split)), *NumElements(shape.subspan(split))}));
  };
}

}  // namespace

void RegisterFlatten(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, Flatten);
}

}  // namespace onnxcmp

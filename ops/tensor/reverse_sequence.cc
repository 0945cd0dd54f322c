#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// ReverseSequence (ai.onnx 10, 28): of every entry b along batch_axis, the first sequence_lens[b]
// entries along time_axis in reverse, the others as they are.
absl::StatusOr<Kernel> ReverseSequence(const KernelInit& node) {
  const int64_t batch_axis = node.Int("batch_axis");
  const int64_t time_axis = node.Int("time_axis");
  if (batch_axis < 0 || batch_axis > 1 || time_axis < 0 || time_axis > 1 ||
      batch_axis == time_axis) {
    return absl::InvalidArgumentError(absl::StrCat("batch_axis ", batch_axis, " and time_axis ",
                                                   time_axis, " are not 0 and 1 or 1 and 0"));
  }
  const int batch = static_cast<int>(batch_axis);
  const int time = static_cast<int>(time_axis);
  return [batch, time](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, ctx.IntsInput(1));
    if (x.rank() < 2 || ctx.Input(1).shape() != Shape{x.dim(batch)}) {
      return absl::InvalidArgumentError(absl::StrCat("sequence_lens ", ctx.Input(1).TypeString(),
                                                     " does not fit the input ", x.TypeString()));
    }
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(x.dtype(), x.shape()));
    const Shape strides = result.strides();
    const auto t = static_cast<size_t>(time);
    for (size_t b = 0; b < lengths.size(); ++b) {
      const int64_t length = lengths[b];
      if (length < 0 || length > x.dim(time)) {
        return absl::InvalidArgumentError(
            absl::StrCat("sequence length ", length, " is not in [0, ", x.dim(time), "]"));
      }
      const auto entry = static_cast<int64_t>(b);
      const Tensor sequence = Narrowed(x, batch, entry, 1);
      const int64_t offset = entry * strides[static_cast<size_t>(batch)];
      if (sequence.num_elements() == 0) continue;
      if (length > 0) {
        const Tensor head = Narrowed(sequence, time, 0, length);
        Shape backwards = head.strides();
        backwards[t] = -backwards[t];
        CopyIntoBlock(
            head.Strided(head.shape(), backwards, head.offset() + (length - 1) * head.strides()[t]),
            strides, offset, ctx.pool(), &result);
      }
      CopyIntoBlock(Narrowed(sequence, time, length, x.dim(time) - length), strides,
                    offset + length * strides[t], ctx.pool(), &result);
    }
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterReverseSequence(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReverseSequence", {10, 28}, ReverseSequence);
}

}  // namespace onnxcmp

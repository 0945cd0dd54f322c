#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// BitCast (ai.onnx 26): the same bits as the type `to`, which is as wide; a view.
absl::StatusOr<Kernel> BitCast(const KernelInit& node) {
  const int64_t to = node.Int("to");
  if (to <= 0 || to >= kNumDTypes || BitWidth(static_cast<DType>(to)) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot cast bits to the element type ", to));
  }
  return [dtype = static_cast<DType>(to)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    if (BitWidth(x.dtype()) != BitWidth(dtype)) {
      return absl::InvalidArgumentError(absl::StrCat("cannot cast the ", BitWidth(x.dtype()),
                                                     " bits of ", DTypeName(x.dtype()), " to ",
                                                     DTypeName(dtype)));
    }
    const int64_t first = x.raw_data() - x.buffer()->data();  // in bytes
    OC_ASSIGN_OR_RETURN(Tensor y, Tensor::FromBuffer(dtype, x.shape(), x.buffer(), first));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterBitCast(OpRegistry& registry) { registry.Add(kOnnxDomain, "BitCast", {26}, BitCast); }

}  // namespace onnxcmp

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/sequence/position.h"

namespace onnxcmp {
namespace {

// SequenceInsert (ai.onnx 11): the sequence with the tensor before the element at `position`, which
// may be the end, and is so by default.
absl::Status SequenceInsert(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(0));
  OC_ASSIGN_OR_RETURN(Tensor tensor, ctx.TensorInput(1));
  const DType dtype = sequence->element_dtype;
  if (dtype != DType::kUndefined && dtype != tensor.dtype()) {
    return absl::InvalidArgumentError(absl::StrCat("cannot insert a tensor of ",
                                                   DTypeName(tensor.dtype()),
                                                   " into a sequence of ", DTypeName(dtype)));
  }
  const size_t size = sequence->elements.size();
  OC_ASSIGN_OR_RETURN(const size_t position, PositionInput(ctx, 2, size, size + 1, size));
  Sequence result = *sequence;
  result.element_dtype = tensor.dtype();
  result.elements.insert(result.elements.begin() + static_cast<std::ptrdiff_t>(position),
                         std::move(tensor));
  return ctx.SetOutput(0, std::move(result));
}

}  // namespace

void RegisterSequenceInsert(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SequenceInsert", {11}, SequenceInsert);
}

}  // namespace onnxcmp

#include <cstddef>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/sequence/position.h"

namespace onnxcmp {
namespace {

// SequenceErase (ai.onnx 11): the sequence without the element at `position`, by default the last.
absl::Status SequenceErase(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(0));
  const size_t size = sequence->elements.size();
  if (size == 0) {
    return absl::InvalidArgumentError("cannot erase an element of an empty sequence");
  }
  OC_ASSIGN_OR_RETURN(const size_t position, PositionInput(ctx, 1, size, size, size - 1));
  Sequence result = *sequence;
  result.elements.erase(result.elements.begin() + static_cast<std::ptrdiff_t>(position));
  return ctx.SetOutput(0, std::move(result));
}

}  // namespace

void RegisterSequenceErase(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SequenceErase", {11}, SequenceErase);
}

}  // namespace onnxcmp

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/sequence/position.h"

namespace onnxcmp {
namespace {

// SequenceAt (ai.onnx 11): the element at `position`, counted from the back if negative.
absl::Status SequenceAt(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(0));
  const size_t size = sequence->elements.size();
  OC_ASSIGN_OR_RETURN(const size_t position, PositionInput(ctx, 1, size, size, 0));
  return ctx.SetOutput(0, sequence->elements[position]);
}

}  // namespace

void RegisterSequenceAt(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SequenceAt", {11}, SequenceAt);
}

}  // namespace onnxcmp

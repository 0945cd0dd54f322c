#include <cstdint>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// SequenceLength (ai.onnx 11): the number of elements, an int64 scalar.
absl::Status SequenceLength(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(0));
  return ctx.SetOutput(0, Tensor::Scalar<int64_t>(static_cast<int64_t>(sequence->elements.size())));
}

}  // namespace

void RegisterSequenceLength(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SequenceLength", {11}, SequenceLength);
}

}  // namespace onnxcmp

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// SequenceConstruct (ai.onnx 11): a sequence of the inputs, which are tensors of one type.
absl::Status SequenceConstruct(KernelContext& ctx) {
  Sequence sequence;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    OC_ASSIGN_OR_RETURN(Tensor element, ctx.TensorInput(i));
    sequence.element_dtype = element.dtype();
    sequence.elements.emplace_back(std::move(element));
  }
  return ctx.SetOutput(0, std::move(sequence));
}

}  // namespace

void RegisterSequenceConstruct(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SequenceConstruct", {11}, SequenceConstruct);
}

}  // namespace onnxcmp

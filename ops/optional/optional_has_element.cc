#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// OptionalHasElement (ai.onnx 15, 18, 28): whether the optional holds something. From 18 on also
// true for a tensor or a sequence, and false if the input is left out.
absl::Status OptionalHasElement(KernelContext& ctx) {
  bool has_element = ctx.HasInput(0);
  if (has_element && ctx.InputValue(0).is_optional()) {
    has_element = ctx.InputValue(0).optional().element != nullptr;
  }
  return ctx.SetOutput(0, Tensor::Scalar<bool>(has_element));
}

}  // namespace

void RegisterOptionalHasElement(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "OptionalHasElement", {15, 18, 28}, OptionalHasElement);
}

}  // namespace onnxcmp

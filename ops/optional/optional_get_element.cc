#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// OptionalGetElement (ai.onnx 15, 18, 28): what the optional holds; an error if that is nothing. A
// tensor or a sequence (from 18 on) is itself.
absl::Status OptionalGetElement(KernelContext& ctx) {
  const Value& value = ctx.InputValue(0);
  if (!value.is_optional()) return ctx.SetOutput(0, value);
  if (value.optional().element == nullptr) {
    return absl::InvalidArgumentError("the optional holds nothing");
  }
  return ctx.SetOutput(0, *value.optional().element);
}

}  // namespace

void RegisterOptionalGetElement(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "OptionalGetElement", {15, 18, 28}, OptionalGetElement);
}

}  // namespace onnxcmp

#include <memory>
#include <optional>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// The dtype of the tensors that a value of this type consists of.
DType InnerDType(const TypeInfo& type) {
  if (type.kind == TypeInfo::Kind::kTensor) return type.dtype;
  return type.element == nullptr ? DType::kUndefined : InnerDType(*type.element);
}
DType InnerDType(const Value& value) {
  if (value.is_tensor()) return value.tensor().dtype();
  return value.is_sequence() ? value.sequence().element_dtype : DType::kUndefined;
}

// Optional (ai.onnx 15, 28): an optional that holds the input, or without one nothing, of the type
// that the attribute `type` names.
absl::StatusOr<Kernel> MakeOptional(const KernelInit& node) {
  const std::optional<TypeInfo> type = node.TypeAttribute("type");
  if (!node.HasInput(0) && !type.has_value()) {
    return absl::InvalidArgumentError("there is neither an input nor an attribute type");
  }
  const DType dtype = type.has_value() ? InnerDType(*type) : DType::kUndefined;
  return [dtype](KernelContext& ctx) -> absl::Status {
    if (!ctx.HasInput(0)) {
      return ctx.SetOutput(0, Optional{.element = nullptr, .element_dtype = dtype});
    }
    const Value& value = ctx.InputValue(0);
    return ctx.SetOutput(0, Optional{.element = std::make_shared<const Value>(value),
                                     .element_dtype = InnerDType(value)});
  };
}

}  // namespace

void RegisterOptional(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Optional", {15, 28}, MakeOptional);
}

}  // namespace onnxcmp

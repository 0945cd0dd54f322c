#include <cstdint>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// SequenceEmpty (ai.onnx 11): an empty sequence of tensors of type `dtype`, float by default.
absl::StatusOr<Kernel> SequenceEmpty(const KernelInit& node) {
  const int64_t number = node.Int("dtype", static_cast<int64_t>(DType::kFloat));
  if (number <= 0 || number >= kNumDTypes) {
    return absl::InvalidArgumentError(absl::StrCat("attribute dtype ", number, " names no type"));
  }
  return [dtype = static_cast<DType>(number)](KernelContext& ctx) {
    return ctx.SetOutput(0, Sequence{.element_dtype = dtype, .elements = {}});
  };
}

}  // namespace

void RegisterSequenceEmpty(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SequenceEmpty", {11}, SequenceEmpty);
}

}  // namespace onnxcmp

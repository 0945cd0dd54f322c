#include <cstdint>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// Size (ai.onnx 1, 13, 19, 21, 23, 24, 25): the number of elements, an int64 scalar.
absl::Status Size(KernelContext& ctx) {
  return ctx.SetOutput(0, Tensor::Scalar<int64_t>(ctx.Input(0).num_elements()));
}

}  // namespace

void RegisterSize(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Size", {1, 13, 19, 21, 23, 24, 25}, Size);
}

}  // namespace onnxcmp

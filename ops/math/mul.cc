#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Mul (ai.onnx 1, 6, 7, 13, 14): C = A * B, broadcast. Integers wrap around.
Kernel Mul(const KernelInit& node) {
  return BinaryKernel<Wrapping>(node, [](auto a, auto b) { return a * b; });
}

}  // namespace

void RegisterMul(OpRegistry& registry) { registry.Add(kOnnxDomain, "Mul", {1, 6, 7, 13, 14}, Mul); }

}  // namespace onnxcmp

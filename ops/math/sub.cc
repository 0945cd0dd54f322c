#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Sub (ai.onnx 1, 6, 7, 13, 14): C = A - B, broadcast. Integers wrap around.
Kernel Sub(const KernelInit& node) {
  return BinaryKernel<Wrapping>(node, [](auto a, auto b) { return a - b; });
}

}  // namespace

void RegisterSub(OpRegistry& registry) { registry.Add(kOnnxDomain, "Sub", {1, 6, 7, 13, 14}, Sub); }

}  // namespace onnxcmp

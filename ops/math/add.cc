#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Add (ai.onnx 1, 6, 7, 13, 14): C = A + B, broadcast. Integers wrap around.
Kernel Add(const KernelInit& node) {
  return BinaryKernel<Wrapping>(node, [](auto a, auto b) { return a + b; });
}

}  // namespace

void RegisterAdd(OpRegistry& registry) { registry.Add(kOnnxDomain, "Add", {1, 6, 7, 13, 14}, Add); }

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Greater (ai.onnx 1, 7, 9, 13): C = A > B, broadcast; false if either is NaN.
Kernel Greater(const KernelInit& node) {
  return CompareKernel<Numbers>(node, [](auto a, auto b) { return a > b; });
}

}  // namespace

void RegisterGreater(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Greater", {1, 7, 9, 13}, Greater);
}

}  // namespace onnxcmp

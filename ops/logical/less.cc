#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Less (ai.onnx 1, 7, 9, 13): C = A < B, broadcast; false if either is NaN.
Kernel Less(const KernelInit& node) {
  return CompareKernel<Numbers>(node, [](auto a, auto b) { return a < b; });
}

}  // namespace

void RegisterLess(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Less", AllVersions(1, 13), Less);
}

}  // namespace onnxcmp

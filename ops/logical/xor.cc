#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Xor (ai.onnx 1, 7): C = A or B, but not both; broadcast.
Kernel Xor(const KernelInit& node) {
  return CompareKernel<Bools>(node, [](auto a, auto b) { return a != b; });
}

}  // namespace

void RegisterXor(OpRegistry& registry) { registry.Add(kOnnxDomain, "Xor", AllVersions(1, 7), Xor); }

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Max (ai.onnx 1, 6, 8, 12, 13): the greatest of all inputs, broadcast from 8 on; NaN if one is
// NaN.
Kernel Max(const KernelInit& node) {
  return VariadicKernel<Numbers>(node, [](auto a, auto b) { return vec::Max(a, b); });
}

}  // namespace

void RegisterMax(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Max", AllVersions(1, 13), Max);
}

}  // namespace onnxcmp

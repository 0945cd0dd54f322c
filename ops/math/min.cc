#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Min (ai.onnx 1, 6, 8, 12, 13): the least of all inputs, broadcast from 8 on; NaN if one is NaN.
Kernel Min(const KernelInit& node) {
  return VariadicKernel<Numbers>(node, [](auto a, auto b) { return vec::Min(a, b); });
}

}  // namespace

void RegisterMin(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Min", AllVersions(1, 13), Min);
}

}  // namespace onnxcmp

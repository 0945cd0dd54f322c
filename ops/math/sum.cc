#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Sum (ai.onnx 1, 6, 8, 13): the sum of all inputs, broadcast from 8 on.
Kernel Sum(const KernelInit& node) {
  return VariadicKernel<Floats>(node, [](auto a, auto b) { return a + b; });
}

}  // namespace

void RegisterSum(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Sum", AllVersions(1, 13), Sum);
}

}  // namespace onnxcmp

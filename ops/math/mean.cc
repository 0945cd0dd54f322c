#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Mean (ai.onnx 1, 6, 8, 13): the mean of all inputs, broadcast from 8 on. Differs from the
// function body: narrow floats are rounded once.
Kernel Mean(const KernelInit& node) {
  return VariadicKernel<Floats>(
      node, [](auto a, auto b) { return a + b; }, [](auto x, auto n) { return x / n; });
}

}  // namespace

void RegisterMean(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Mean", AllVersions(1, 13), Mean);
}

}  // namespace onnxcmp

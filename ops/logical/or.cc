#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Or (ai.onnx 1, 7): C = A or B, broadcast.
Kernel Or(const KernelInit& node) {
  return CompareKernel<Bools>(node, [](auto a, auto b) { return a || b; });
}

}  // namespace

void RegisterOr(OpRegistry& registry) { registry.Add(kOnnxDomain, "Or", AllVersions(1, 7), Or); }

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// And (ai.onnx 1, 7): C = A and B, broadcast.
Kernel And(const KernelInit& node) {
  return CompareKernel<Bools>(node, [](auto a, auto b) { return a && b; });
}

}  // namespace

void RegisterAnd(OpRegistry& registry) { registry.Add(kOnnxDomain, "And", {1, 7}, And); }

}  // namespace onnxcmp

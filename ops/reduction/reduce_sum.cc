#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceSum (ai.onnx 1, 11, 13): the sum over `axes` (input 1 from 13 on). Integers wrap; of no
// elements it is 0.
Kernel ReduceSum(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kSum, /*axes_input_since=*/13);
}

}  // namespace

void RegisterReduceSum(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceSum", {1, 11, 13}, ReduceSum);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceL1 (ai.onnx 1, 11, 13, 18): the sum of |x| over `axes` (input 1 from 18 on). Integers wrap;
// of no elements it is 0.
Kernel ReduceL1(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kAbsoluteSum, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceL1(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceL1", AllVersions(1, 18), ReduceL1);
}

}  // namespace onnxcmp

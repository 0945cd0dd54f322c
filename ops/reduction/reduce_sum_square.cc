#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceSumSquare (ai.onnx 1, 11, 13, 18): the sum of x * x over `axes` (input 1 from 18 on).
// Integers wrap; of no elements it is 0.
Kernel ReduceSumSquare(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kSquareSum, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceSumSquare(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceSumSquare", AllVersions(1, 18), ReduceSumSquare);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceMax (ai.onnx 1, 11, 12, 13, 18, 20): the greatest element over `axes` (input 1 from 18 on);
// false < true. Open in the specification: a NaN among the elements gives NaN, as in NumPy. Of no
// elements: -inf, or the least integer.
Kernel ReduceMax(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kMax, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceMax(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceMax", {1, 11, 12, 13, 18, 20}, ReduceMax);
}

}  // namespace onnxcmp

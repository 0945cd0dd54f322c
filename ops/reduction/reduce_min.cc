#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceMin (ai.onnx 1, 11, 12, 13, 18, 20): the least element over `axes` (input 1 from 18 on);
// false < true. Open in the specification: a NaN among the elements gives NaN, as in NumPy. Of no
// elements: infinity, the greatest integer, or true.
Kernel ReduceMin(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kMin, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceMin(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceMin", AllVersions(1, 20), ReduceMin);
}

}  // namespace onnxcmp

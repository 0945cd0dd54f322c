#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceProd (ai.onnx 1, 11, 13, 18): the product over `axes` (input 1 from 18 on). Integers wrap;
// of no elements it is 1.
Kernel ReduceProd(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kProduct, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceProd(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceProd", AllVersions(1, 18), ReduceProd);
}

}  // namespace onnxcmp

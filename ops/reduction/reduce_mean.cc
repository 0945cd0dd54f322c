#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceMean (ai.onnx 1, 11, 13, 18): the mean over `axes` (input 1 from 18 on). Open in the
// specification: the mean of integers is exact and truncated; of no elements it is NaN, or 0.
Kernel ReduceMean(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kMean, /*axes_input_since=*/18);
}

}  // namespace

void RegisterReduceMean(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ReduceMean", {1, 11, 13, 18}, ReduceMean);
}

}  // namespace onnxcmp

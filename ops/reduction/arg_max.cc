#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/arg_reduce.h"

namespace onnxcmp {
namespace {

// ArgMax (ai.onnx 1, 11, 12, 13): the index of the greatest element along `axis`; of equal ones the
// first, or the last if `select_last_index` is set. Open in the specification: NaN wins, as in
// NumPy.
Kernel ArgMax(const KernelInit& node) { return ArgReduceKernel(node, /*greatest=*/true); }

}  // namespace

void RegisterArgMax(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ArgMax", AllVersions(1, 13), ArgMax);
}

}  // namespace onnxcmp

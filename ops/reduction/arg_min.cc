#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/arg_reduce.h"

namespace onnxcmp {
namespace {

// ArgMin (ai.onnx 1, 11, 12, 13): the index of the least element along `axis`; of equal ones the
// first, or the last if `select_last_index` is set. Open in the specification: NaN wins, as in
// NumPy.
Kernel ArgMin(const KernelInit& node) { return ArgReduceKernel(node, /*greatest=*/false); }

}  // namespace

void RegisterArgMin(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ArgMin", AllVersions(1, 13), ArgMin);
}

}  // namespace onnxcmp

#include "evaluator/kernels/op_registry.h"
#include "ops/math/cumulative.h"

namespace onnxcmp {
namespace {

// CumSum (ai.onnx 11, 14): running sums along `axis`. Integers wrap around.
Kernel CumSum(const KernelInit& node) { return CumulativeKernel<SumFold>(node); }

}  // namespace

void RegisterCumSum(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "CumSum", AllVersions(11, 14), CumSum);
}

}  // namespace onnxcmp

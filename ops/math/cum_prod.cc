#include "evaluator/kernels/op_registry.h"
#include "ops/math/cumulative.h"

namespace onnxcmp {
namespace {

// CumProd (ai.onnx 26): running products along `axis`. Integers wrap around.
Kernel CumProd(const KernelInit& node) { return CumulativeKernel<ProductFold>(node); }

}  // namespace

void RegisterCumProd(OpRegistry& registry) { registry.Add(kOnnxDomain, "CumProd", {26}, CumProd); }

}  // namespace onnxcmp

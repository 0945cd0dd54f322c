#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"

namespace onnxcmp {
namespace {

// AveragePool (ai.onnx 1, 7, 10, 11, 19, 22): Y[n, c, o] = the mean of X[n, c]'s elements in window
// o; with count_include_pad (since 7) the padding counts as zeros, but not what windows of
// ceil_mode cover beyond it. The mean of padding alone, if that does not count, is NaN.
absl::StatusOr<Kernel> AveragePool(const KernelInit& node) {
  const PoolDivisor divisor =
      node.Int("count_include_pad", 0) != 0 ? PoolDivisor::kPadded : PoolDivisor::kInputs;
  OC_ASSIGN_OR_RETURN(const WindowAttributes attributes, WindowAttributes::FromNode(node));
  return
      [attributes, divisor](KernelContext& ctx) { return EmitAverages(ctx, attributes, divisor); };
}

}  // namespace

void RegisterAveragePool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "AveragePool", {1, 7, 10, 11, 19, 22}, AveragePool);
}

}  // namespace onnxcmp

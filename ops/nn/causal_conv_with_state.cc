#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/causal_conv.h"

namespace onnxcmp {
namespace {

// CausalConvWithState (ai.onnx 27), for every channel c, with x' = past_state (or K - 1 zeros) and
// the input in a row:
//   output[t] = f(sum over j < K of weight[c, 0, j] * x'[t + j] + bias[c])
// f is the identity, or silu (swish): y * sigmoid(y). present_state: the last K - 1 of x'. Narrow
// floats are computed in float and rounded once.
absl::StatusOr<Kernel> CausalConvWithState(const KernelInit& node) {
  return CausalConvKernel(node, /*extended=*/false);
}

}  // namespace

void RegisterCausalConvWithState(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "CausalConvWithState", {27}, CausalConvWithState);
}

}  // namespace onnxcmp

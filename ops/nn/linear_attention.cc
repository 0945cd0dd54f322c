#include "ops/common/attention/linear_attention.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// LinearAttention (ai.onnx 27): the recurrences of linear_recurrence.h, a state for every head of
// keys and values, read by the heads of queries that share it. The state begins with past_state, or
// with 0, and is output 1, of past_state's type or else the query's. Computed in float; narrow
// floats are rounded in the outputs only. chunk_size is a hint.
absl::StatusOr<Kernel> LinearAttention(const KernelInit& node) {
  return LinearAttentionKernel(node, /*extended=*/false);
}

}  // namespace

void RegisterLinearAttention(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LinearAttention", {27}, LinearAttention);
}

}  // namespace onnxcmp

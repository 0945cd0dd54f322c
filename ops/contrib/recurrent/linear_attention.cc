#include "ops/common/attention/linear_attention.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// LinearAttention (com.microsoft 1): as ai.onnx's, and beyond it
// - more heads of keys and values than of queries, of which each then serves several (output h
// reads
//   query h * q_num_heads / kv_num_heads);
// - fewer heads of keys than of values;
// - state_window W: present_state has a leading axis of the states after the last W steps, the last
//   at the end; those that would be of earlier calls are 0. past_state is read from the last one.
absl::StatusOr<Kernel> LinearAttention(const KernelInit& node) {
  return LinearAttentionKernel(node, /*extended=*/true);
}

}  // namespace

void RegisterContribLinearAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "LinearAttention", {1}, LinearAttention);
}

}  // namespace onnxcmp

// LinearAttention, which ai.onnx and com.microsoft both have.
#ifndef ONNXCMP_OPS_COMMON_ATTENTION_LINEAR_ATTENTION_H_
#define ONNXCMP_OPS_COMMON_ATTENTION_LINEAR_ATTENTION_H_

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// com.microsoft's (`extended`) may have more heads of values than of queries, fewer heads of keys
// than of values, and state_window.
absl::StatusOr<Kernel> LinearAttentionKernel(const KernelInit& node, bool extended);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ATTENTION_LINEAR_ATTENTION_H_

// The attention of Longformer.
#ifndef ONNXCMP_OPS_CONTRIB_ATTENTION_LONGFORMER_H_
#define ONNXCMP_OPS_CONTRIB_ATTENTION_LONGFORMER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/contrib/attention/self_attention.h"

namespace onnxcmp {

// Checks an input of (batch, tokens, hidden), and inputs `mask` and `global` of (batch, tokens).
absl::Status CheckLongformer(const KernelContext& ctx, int mask, int global, int64_t window);

// The results (batch, tokens, hidden), of type C: a token sees those up to `window` away from it
// and all global ones; a global token sees all tokens, with the second projections. Input `mask` is
// added to the scores of keys; input `global` is not 0 for global tokens.
template <typename C>
absl::StatusOr<Tensor> AttendLongformer(const KernelContext& ctx, const ProjectedHeads& local,
                                        const ProjectedHeads& of_global, int mask, int global,
                                        int64_t window);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ATTENTION_LONGFORMER_H_

// Concatenation, which Concat and ConcatFromSequence share.
#ifndef ONNXCMP_OPS_COMMON_MOVEMENT_CONCAT_H_
#define ONNXCMP_OPS_COMMON_MOVEMENT_CONCAT_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The tensors, at least one and of one type, one after the other along an axis in [0, rank).
// InvalidArgument if they differ along another axis.
absl::StatusOr<Tensor> Concatenated(const KernelContext& ctx, absl::Span<const Tensor> tensors,
                                    int axis);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_MOVEMENT_CONCAT_H_

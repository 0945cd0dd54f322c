// Rotation of heads, which the operators that embed positions by it share.
#ifndef ONNXCMP_OPS_COMMON_ATTENTION_ROTATE_HEADS_H_
#define ONNXCMP_OPS_COMMON_ATTENTION_ROTATE_HEADS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The input as rows of one head at one position.
struct RotaryShape {
  int64_t batch = 0, heads = 0, sequence = 0, head_size = 0;
  int64_t rotary_dim = 0;     // elements of a head that are rotated, an even number; others stay
  int64_t rotary_offset = 0;  // the first of them
  bool heads_first = false;   // (batch, heads, sequence, head size), else sequence before heads
  bool interleaved = false;   // pairs are neighbours, else halves of the rotated part
};

// x, contiguous, with every pair (a, b) turned to (a * cos - b * sin, b * cos + a * sin). The
// factors of entry b, s are row positions[b * sequence + s] of the caches, which have rotary_dim /
// 2 columns. Computed in float, or in double if x is of doubles.
absl::StatusOr<Tensor> RotateHeads(const KernelContext& ctx, const Tensor& x,
                                   const RotaryShape& shape, absl::Span<const int64_t> positions,
                                   const Tensor& cosines, const Tensor& sines);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ATTENTION_ROTATE_HEADS_H_

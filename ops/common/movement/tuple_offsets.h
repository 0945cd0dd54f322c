// Tuples of indices, as GatherND and ScatterND take them: the last dimension of `indices` selects a
// slice of a tensor by its first axes.
#ifndef ONNXCMP_OPS_COMMON_MOVEMENT_TUPLE_OFFSETS_H_
#define ONNXCMP_OPS_COMMON_MOVEMENT_TUPLE_OFFSETS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct TupleOffsets {
  std::vector<int64_t> offsets;  // element at which each tuple's slice begins
  int64_t block;                 // elements of a slice
  Shape shape;                   // of all slices: the indices' shape but for the tuples, a slice's
};

// For a row-major tensor of shape `dims` and the tuples of input `index`, which begin to count
// after `batch_dims` axes that both have in common.
absl::StatusOr<TupleOffsets> OffsetsOfTuples(const KernelContext& ctx, int index,
                                             absl::Span<const int64_t> dims,
                                             int64_t batch_dims = 0);

// That what is to be written into the slices has their shape.
absl::Status CheckUpdates(const TupleOffsets& slices, const Tensor& updates);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_MOVEMENT_TUPLE_OFFSETS_H_

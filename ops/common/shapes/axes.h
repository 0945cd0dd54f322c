// Axes as ONNX counts them: negative ones from the back.
#ifndef ONNXCMP_OPS_COMMON_SHAPES_AXES_H_
#define ONNXCMP_OPS_COMMON_SHAPES_AXES_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace onnxcmp {

using Axes = absl::InlinedVector<int, 6>;

// The axis in [0, rank); "axis 3 is out of range for rank 2" if it is not in [-rank, rank).
absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank);

// Every axis normalised, in the order given; an error if two are the same.
absl::StatusOr<Axes> NormalizeAxes(absl::Span<const int64_t> axes, int rank);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_SHAPES_AXES_H_

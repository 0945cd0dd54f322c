// Slicing, which Slice and its gradient share.
#ifndef ONNXCMP_OPS_COMMON_SHAPES_SLICES_H_
#define ONNXCMP_OPS_COMMON_SHAPES_SLICES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct Slicing {
  std::vector<int64_t> starts;
  std::vector<int64_t> ends;
  std::vector<int64_t> axes;   // the first ones by default
  std::vector<int64_t> steps;  // 1 by default
};

// 0, 1, ..., count - 1.
std::vector<int64_t> FirstAxes(size_t count);

// Reads starts, ends and the optional axes and steps from the inputs `first` and after it.
absl::StatusOr<Slicing> SlicingInputs(const KernelContext& ctx, int first);

// data[..., start : end : step, ...] on the axes given, a view. Bounds may be negative and are
// clamped.
absl::StatusOr<Tensor> Sliced(const Tensor& data, const Slicing& slicing);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_SHAPES_SLICES_H_

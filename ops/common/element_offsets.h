// Where GatherElements reads and ScatterElements writes.
#ifndef ONNXCMP_OPS_COMMON_ELEMENT_OFFSETS_H_
#define ONNXCMP_OPS_COMMON_ELEMENT_OFFSETS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/kernel.h"
#include "evaluator/tensor.h"

namespace onnxcmp {

// For every element of the indices (input `index`), in row-major order: the element of `data`,
// taken as contiguous, that has its coordinates, but along `axis` the index itself, which may count
// from the back. InvalidArgument if ranks differ, if indices are larger than data along another
// axis, or if an index is out of range.
absl::StatusOr<std::vector<int64_t>> ElementOffsets(const KernelContext& ctx, int index,
                                                    const Tensor& data, int axis);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENT_OFFSETS_H_

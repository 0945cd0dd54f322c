// Where GatherElements reads and ScatterElements writes.
#ifndef ONNXCMP_OPS_COMMON_MOVEMENT_ELEMENT_OFFSETS_H_
#define ONNXCMP_OPS_COMMON_MOVEMENT_ELEMENT_OFFSETS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// For every element of the indices (input `index`), in row-major order: the element of `data`,
// taken as contiguous, that has its coordinates, but along `axis` the index itself, which may count
// from the back.
class ElementOffsets {
 public:
  // InvalidArgument if ranks differ or if indices are larger than data along another axis.
  static absl::StatusOr<ElementOffsets> Create(const KernelContext& ctx, int index,
                                               const Tensor& data, int axis);

  // offsets[i] = the offset of element first + i, for i < count. False if one of these indices is
  // out of range: then there may be anything.
  bool Load(int64_t first, int64_t count, int64_t* offsets) const;
  // All of them; the error of RangeError().
  absl::StatusOr<std::vector<int64_t>> LoadAll(const ThreadPool& pool) const;
  // Names the first index that is out of range.
  absl::Status RangeError() const;

 private:
  Tensor indices_;  // int64, contiguous
  Shape strides_;   // of data, 0 for the axis
  int axis_ = 0;
  int64_t size_ = 0;  // of the axis
  int64_t index_stride_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_MOVEMENT_ELEMENT_OFFSETS_H_

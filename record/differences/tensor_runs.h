// A tensor's elements in row-major order as runs of equal steps, whatever its strides.
#ifndef ONNXCMP_RECORD_DIFFERENCES_TENSOR_RUNS_H_
#define ONNXCMP_RECORD_DIFFERENCES_TENSOR_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

class TensorRuns {
 public:
  explicit TensorRuns(const Tensor& tensor);

  // True if all elements lie one after the other.
  bool contiguous() const { return sizes_.size() == 1 && strides_[0] == 1; }

  // Calls body(position, stride, n) for the runs that make up elements [first, first + count): n
  // elements, the first at `position` counted from the tensor's element 0.
  template <typename Body>
  void ForEach(int64_t first, int64_t count, Body&& body) const {
    const size_t inner = sizes_.size() - 1;
    while (count > 0) {
      const int64_t n = std::min(count, sizes_[inner] - first % sizes_[inner]);
      body(PositionOf(first), strides_[inner], n);
      first += n;
      count -= n;
    }
  }

  // The same by blocks, each as large as possible: body(position, sizes, strides).
  template <typename Body>
  void ForEachBlock(int64_t first, int64_t count, Body&& body) const {
    absl::InlinedVector<int64_t, 6> sizes;
    while (count > 0) {
      // The outermost axis along which whole steps fit, and the number of elements of each step.
      size_t axis = sizes_.size() - 1;
      int64_t step = 1;
      while (axis > 0 && step * sizes_[axis] <= count && first % (step * sizes_[axis]) == 0) {
        step *= sizes_[axis--];
      }
      const int64_t n = std::min(count / step, sizes_[axis] - first / step % sizes_[axis]);
      sizes.assign(sizes_.begin() + static_cast<std::ptrdiff_t>(axis), sizes_.end());
      sizes[0] = n;
      body(PositionOf(first), absl::MakeConstSpan(sizes),
           absl::MakeConstSpan(strides_).subspan(axis));
      first += n * step;
      count -= n * step;
    }
  }

 private:
  int64_t PositionOf(int64_t element) const {
    int64_t position = 0;
    for (size_t axis = sizes_.size(); axis-- > 0;) {
      position += element % sizes_[axis] * strides_[axis];
      element /= sizes_[axis];
    }
    return position;
  }

  // Dimensions and strides; contiguous neighbours are merged.
  absl::InlinedVector<int64_t, 6> sizes_;
  absl::InlinedVector<int64_t, 6> strides_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_TENSOR_RUNS_H_

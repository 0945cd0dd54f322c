// A tensor's elements in row-major order as runs of equal steps, whatever its strides.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_STRIDED_RUNS_H_
#define ONNXCMP_COMPARE_DIFFERENCES_STRIDED_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

class StridedRuns {
 public:
  explicit StridedRuns(const Tensor& tensor);

  // Whether all elements lie one after the other.
  bool contiguous() const { return sizes_.size() == 1 && strides_[0] == 1; }

  // Calls body(position, stride, n) for the runs that make up elements [first, first + count):
  // n elements, the first at `position` counted from the tensor's element 0.
  template <typename Body>
  void ForEach(int64_t first, int64_t count, Body&& body) const {
    const size_t inner = sizes_.size() - 1;
    while (count > 0) {
      int64_t rest = first;
      int64_t position = 0;
      for (size_t axis = sizes_.size(); axis-- > 0;) {
        position += rest % sizes_[axis] * strides_[axis];
        rest /= sizes_[axis];
      }
      const int64_t n = std::min(count, sizes_[inner] - first % sizes_[inner]);
      body(position, strides_[inner], n);
      first += n;
      count -= n;
    }
  }

 private:
  // Dimensions and strides with neighbours that lie one after the other merged.
  absl::InlinedVector<int64_t, 6> sizes_;
  absl::InlinedVector<int64_t, 6> strides_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_STRIDED_RUNS_H_

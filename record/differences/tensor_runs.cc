#include "record/differences/tensor_runs.h"

namespace onnxcmp {

TensorRuns::TensorRuns(const Tensor& tensor) {
  if (tensor.is_contiguous()) {
    sizes_ = {tensor.num_elements()};
    strides_ = {1};
    return;
  }
  for (size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    const int64_t size = tensor.shape()[axis];
    const int64_t stride = tensor.strides()[axis];
    if (size == 1) {
      continue;
    }
    if (!sizes_.empty() && strides_.back() == stride * size) {
      sizes_.back() *= size;
      strides_.back() = stride;
    } else {
      sizes_.push_back(size);
      strides_.push_back(stride);
    }
  }
  if (sizes_.empty()) {
    sizes_ = {1};
    strides_ = {1};
  }
}

}  // namespace onnxcmp

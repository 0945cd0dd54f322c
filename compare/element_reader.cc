#include "compare/element_reader.h"

#include <algorithm>
#include <complex>
#include <cstddef>

#include "evaluator/convert.h"

namespace onnxcmp {

ElementReader::ElementReader(const Tensor& tensor) : tensor_(tensor) {
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

template <typename C>
void ElementReader::Read(int64_t first, int64_t count, C* out) const {
  const std::byte* data = tensor_.raw_data();
  if (sizes_.size() == 1 && strides_[0] == 1) {
    LoadElements<C>(tensor_.dtype(), data, first, count, out);
    return;
  }
  const size_t inner = sizes_.size() - 1;
  while (count > 0) {
    // The place of element `first`, and how far its innermost row goes on.
    int64_t rest = first;
    int64_t position = 0;
    for (size_t axis = sizes_.size(); axis-- > 0;) {
      position += rest % sizes_[axis] * strides_[axis];
      rest /= sizes_[axis];
    }
    const int64_t run = std::min(count, sizes_[inner] - first % sizes_[inner]);
    LoadStrided<C>(tensor_.dtype(), data, position, strides_[inner], run, out);
    first += run;
    count -= run;
    out += run;
  }
}

template void ElementReader::Read(int64_t, int64_t, float*) const;
template void ElementReader::Read(int64_t, int64_t, double*) const;
template void ElementReader::Read(int64_t, int64_t, int64_t*) const;
template void ElementReader::Read(int64_t, int64_t, uint64_t*) const;
template void ElementReader::Read(int64_t, int64_t, bool*) const;
template void ElementReader::Read(int64_t, int64_t, std::complex<double>*) const;

}  // namespace onnxcmp

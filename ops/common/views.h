// Views that operators make.
#ifndef ONNXCMP_OPS_COMMON_VIEWS_H_
#define ONNXCMP_OPS_COMMON_VIEWS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "evaluator/tensor.h"

namespace onnxcmp {

// The same elements in the same order with dimensions of 1 added or removed, of any type and any
// strides. `strides` are x's, less those removed, and anything for those added.
inline Tensor WithShape(const Tensor& x, absl::Span<const int64_t> shape,
                        absl::Span<const int64_t> strides) {
  return x.is_contiguous() ? x.Reshaped(shape) : x.Strided(shape, strides, x.offset());
}

// Elements first to first + size - 1 of an axis; not for packed types.
inline Tensor Narrowed(const Tensor& x, int axis, int64_t first, int64_t size) {
  const auto i = static_cast<size_t>(axis);
  Shape shape = x.shape();
  shape[i] = size;
  // An empty view must not begin behind the last element.
  const int64_t offset = size == 0 ? 0 : first * x.strides()[i];
  return x.Strided(shape, x.strides(), x.offset() + offset);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_VIEWS_H_

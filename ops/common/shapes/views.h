// Views that operators make.
#ifndef ONNXCMP_OPS_COMMON_SHAPES_VIEWS_H_
#define ONNXCMP_OPS_COMMON_SHAPES_VIEWS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"

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
  // An empty view must not begin after the last element.
  const int64_t offset = size == 0 ? 0 : first * x.strides()[i];
  return x.Strided(shape, x.strides(), x.offset() + offset);
}

// Axis i of the result is axis perm[i] of x; not for packed types.
inline Tensor Permuted(const Tensor& x, absl::Span<const int64_t> perm) {
  Shape shape(perm.size());
  Shape strides(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    shape[i] = x.shape()[static_cast<size_t>(perm[i])];
    strides[i] = x.strides()[static_cast<size_t>(perm[i])];
  }
  return x.Strided(shape, strides, x.offset());
}

// (N, D1, ..., C) as (N, C, D1, ...); of any rank, not for packed types.
inline Tensor ChannelsFirst(const Tensor& x) {
  Shape perm(x.shape().size());
  std::iota(perm.begin(), perm.end(), 0);
  if (perm.size() > 2) std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return Permuted(x, perm);
}
// (N, C, D1, ...) as (N, D1, ..., C).
inline Tensor ChannelsLast(const Tensor& x) {
  Shape perm(x.shape().size());
  std::iota(perm.begin(), perm.end(), 0);
  if (perm.size() > 2) std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return Permuted(x, perm);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_SHAPES_VIEWS_H_

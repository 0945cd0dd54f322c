// Copies between strided regions: what turns views into contiguous tensors and moves blocks.
#ifndef ONNXCMP_EVALUATOR_TENSOR_STRIDED_COPY_H_
#define ONNXCMP_EVALUATOR_TENSOR_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Writes the elements of `src` to `dst`, which was just allocated, is contiguous and has the same
// dtype and shape. Large copies are cut into pieces for `pool`, if there is one.
void CopyToContiguous(const Tensor& src, Tensor* dst, const ThreadPool* pool = nullptr);

// Copies a block of elements of `element_size` bytes (any size from 1 on). `src` and `dst` are
// where the block's first element is, strides are counted in elements, and the two must not
// overlap. A stride of `src` may be 0 or negative; those of `dst` must give every element a place
// of its own.
void CopyRegion(int64_t element_size, absl::Span<const int64_t> shape, const std::byte* src,
                absl::Span<const int64_t> src_strides, std::byte* dst,
                absl::Span<const int64_t> dst_strides, const ThreadPool* pool = nullptr);
void CopyRegion(absl::Span<const int64_t> shape, const std::string* src,
                absl::Span<const int64_t> src_strides, std::string* dst,
                absl::Span<const int64_t> dst_strides, const ThreadPool* pool = nullptr);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_STRIDED_COPY_H_

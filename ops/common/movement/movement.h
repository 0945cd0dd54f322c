// Moving elements without looking at them: by size, whatever their type.
#ifndef ONNXCMP_OPS_COMMON_MOVEMENT_MOVEMENT_H_
#define ONNXCMP_OPS_COMMON_MOVEMENT_MOVEMENT_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Writes `src`, which may be a view, into a block of `dst`: its first element goes to element
// `dst_offset` of dst, the others where `dst_strides` says. Not for packed types.
void CopyIntoBlock(const Tensor& src, absl::Span<const int64_t> dst_strides, int64_t dst_offset,
                   const ThreadPool& pool, Tensor* dst);

// Writes blocks of `block` neighbours, one after the other, into `dst`. Block (o, i) begins at
// element o * outer_stride + offsets[i] of `src`, which is contiguous. Not for packed types.
void GatherBlocks(const Tensor& src, int64_t outer, int64_t outer_stride,
                  absl::Span<const int64_t> offsets, int64_t block, const ThreadPool& pool,
                  Tensor* dst);

// Element i of `dst` is that of `src`, which is contiguous, at the i-th offset; `offsets(first,
// count, to)` gives some of them, on any thread, or false if there are none: so does TakeElements
// then. Not for packed types.
using OffsetsFunction = absl::FunctionRef<bool(int64_t first, int64_t count, int64_t* offsets)>;
bool TakeElements(const Tensor& src, OffsetsFunction offsets, const ThreadPool& pool, Tensor* dst);

// Writes blocks of `block` neighbours into `dst`: block i of `src`, which is contiguous and holds
// them one after the other, begins at element offsets[i] of dst; the last one written there stays.
// A `src` of one block is written everywhere. Not for packed types.
void ScatterBlocks(const Tensor& src, absl::Span<const int64_t> offsets, int64_t block,
                   Tensor* dst);

// Sets all bytes to 0, all strings to "".
void FillWithZeros(Tensor* tensor);

// The index in [0, size); "index 7 is out of range for axis 0 of size 5" if it is not in
// [-size, size).
absl::StatusOr<int64_t> NormalizeIndex(int64_t index, int axis, int64_t size);
absl::Status NormalizeIndices(absl::Span<int64_t> indices, int axis, int64_t size);

// A packed tensor with each element's bits in a byte of its own (a uint8 tensor), so that it can be
// moved like any other, and the way back; `bytes` is contiguous.
absl::StatusOr<Tensor> UnpackToBytes(const KernelContext& ctx, const Tensor& packed);
absl::StatusOr<Tensor> PackFromBytes(const KernelContext& ctx, const Tensor& bytes, DType dtype);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_MOVEMENT_MOVEMENT_H_

// Tensors cut, joined and read, as steps of a decoder need them.
#ifndef ONNXCMP_GENERATE_TENSORS_H_
#define ONNXCMP_GENERATE_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Numbers as elements of any numeric type or bool.
absl::StatusOr<Tensor> TensorOf(DType dtype, absl::Span<const int64_t> shape,
                                const std::vector<double>& numbers);
// The elements in row-major order as double.
absl::StatusOr<std::vector<double>> NumbersOf(const Tensor& tensor);

// The entries from `begin` on along an axis, contiguous. The entries have to exist.
absl::StatusOr<Tensor> SliceOf(const Tensor& tensor, size_t axis, int64_t begin, int64_t count);
// Entries of an axis in this order.
absl::StatusOr<Tensor> EntriesOf(const Tensor& tensor, size_t axis,
                                 const std::vector<int64_t>& entries);
// Tensors of one type one after the other along an axis; the other dimensions have to be equal.
absl::StatusOr<Tensor> JoinedAlong(size_t axis, const std::vector<Tensor>& parts);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_TENSORS_H_

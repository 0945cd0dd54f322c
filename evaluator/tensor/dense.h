// Sparse tensors written out.
#ifndef ONNXCMP_EVALUATOR_TENSOR_DENSE_H_
#define ONNXCMP_EVALUATOR_TENSOR_DENSE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// An error unless a tensor takes at most `limit` bytes.
absl::Status CheckTensorSize(DType dtype, absl::Span<const int64_t> shape, int64_t limit);

// Where each of the values goes in the dense tensor, as linear indices; an error if the parts do
// not fit together or an index is out of range.
absl::StatusOr<std::vector<int64_t>> SparsePositions(const SparseTensor& sparse);

// The tensor with zeros (empty strings) where the sparse one has no value. Indices are linear or
// coordinates; of several values for one element the last counts. `allocate` makes the tensor.
absl::StatusOr<Tensor> Dense(
    const SparseTensor& sparse,
    absl::FunctionRef<absl::StatusOr<Tensor>(DType, absl::Span<const int64_t>)> allocate);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_DENSE_H_

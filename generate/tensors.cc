#include "generate/tensors.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/strided_copy.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {

absl::StatusOr<Tensor> TensorOf(DType dtype, absl::Span<const int64_t> shape,
                                const std::vector<double>& numbers) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  StoreElements(dtype, numbers.data(), tensor.num_elements(), tensor.mutable_raw_data(), 0);
  return tensor;
}

absl::StatusOr<std::vector<double>> NumbersOf(const Tensor& tensor) {
  if (BitWidth(tensor.dtype()) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(tensor.TypeString(), " has no numbers"));
  }
  return ElementsOf(tensor);
}

absl::StatusOr<Tensor> SliceOf(const Tensor& tensor, size_t axis, int64_t begin, int64_t count) {
  OC_CHECK(axis < tensor.shape().size() && begin >= 0 && begin + count <= tensor.shape()[axis]);
  Shape shape = tensor.shape();
  shape[axis] = count;
  if (BitWidth(tensor.dtype()) < 8) {
    return absl::UnimplementedError(
        absl::StrCat("states of type ", DTypeName(tensor.dtype()), " are not cut"));
  }
  return tensor.Strided(shape, tensor.strides(), tensor.offset() + begin * tensor.strides()[axis])
      .Contiguous();
}

absl::StatusOr<Tensor> EntriesOf(const Tensor& tensor, size_t axis,
                                 const std::vector<int64_t>& entries) {
  std::vector<Tensor> parts;
  for (const int64_t entry : entries) {
    OC_ASSIGN_OR_RETURN(Tensor part, SliceOf(tensor, axis, entry, 1));
    parts.push_back(std::move(part));
  }
  return JoinedAlong(axis, parts);
}

absl::StatusOr<Tensor> JoinedAlong(size_t axis, const std::vector<Tensor>& parts) {
  OC_CHECK(!parts.empty());
  if (parts.size() == 1) return parts.front();
  Shape shape = parts.front().shape();
  shape[axis] = 0;
  for (const Tensor& part : parts) shape[axis] += part.shape()[axis];
  const DType dtype = parts.front().dtype();
  OC_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, shape));
  const int64_t size = BitWidth(dtype) / 8;
  std::byte* at = joined.mutable_raw_data();
  for (const Tensor& part : parts) {
    CopyRegion(size, part.shape(), part.raw_data(), part.strides(), at, joined.strides());
    at += size * part.shape()[axis] * joined.strides()[axis];
  }
  return joined;
}

}  // namespace onnxcmp

#include "samples/sample_batches.h"

#include <cstddef>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

absl::StatusOr<Tensor> Joined(const std::vector<Tensor>& parts) {
  Shape shape = parts[0].shape();
  if (shape.empty()) return absl::InvalidArgumentError("a value without an axis for the batch");
  shape[0] = 0;
  for (const Tensor& part : parts) {
    Shape as_one = part.shape();
    if (!as_one.empty()) as_one[0] = shape[0];
    if (as_one != shape || part.dtype() != parts[0].dtype()) {
      return absl::InvalidArgumentError(absl::StrCat("samples of ", parts[0].TypeString(), " and ",
                                                     part.TypeString(), " in one batch"));
    }
    shape[0] += part.dim(0);
  }
  if (parts[0].dtype() == DType::kString || IsSubByte(parts[0].dtype())) {
    return absl::UnimplementedError(
        absl::StrCat("batches of ", parts[0].TypeString(), ": leave --batch out"));
  }
  OC_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(parts[0].dtype(), shape));
  std::byte* to = joined.mutable_raw_data();
  for (const Tensor& part : parts) {
    OC_ASSIGN_OR_RETURN(const Tensor contiguous, part.Contiguous());
    std::memcpy(to, contiguous.raw_data(), static_cast<size_t>(contiguous.byte_size()));
    to += contiguous.byte_size();
  }
  return joined;
}

Value PartOfBatch(const Value& value, int64_t part, int64_t parts) {
  if (parts == 1 || !value.is_tensor()) return value;
  const Tensor& tensor = value.tensor();
  if (tensor.rank() == 0 || tensor.dim(0) % parts != 0 || IsSubByte(tensor.dtype())) return value;
  Shape shape = tensor.shape();
  shape[0] /= parts;
  return tensor.Strided(shape, tensor.strides(),
                        tensor.offset() + part * shape[0] * tensor.strides()[0]);
}

}  // namespace onnxcmp

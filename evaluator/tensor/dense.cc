#include "evaluator/tensor/dense.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/packed_bits.h"

namespace onnxcmp {
absl::StatusOr<std::vector<int64_t>> SparsePositions(const SparseTensor& sparse) {
  const int64_t count = sparse.values.num_elements();
  const Tensor& indices = sparse.indices;
  const auto rank = static_cast<int64_t>(sparse.dims.size());
  const bool linear = indices.rank() == 1;
  const bool valid = indices.dtype() == DType::kInt64 &&
                     indices.num_elements() == count * (linear ? 1 : rank) &&
                     (linear || (indices.rank() == 2 && indices.dim(1) == rank));
  const std::optional<int64_t> total = NumElements(sparse.dims);
  if (!valid || !total.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sparse tensor has ", count, " values, indices ", indices.TypeString(),
                     " and the shape [", absl::StrJoin(sparse.dims, ","), "]"));
  }
  OC_ASSIGN_OR_RETURN(Tensor contiguous, indices.Contiguous());
  const auto* from = contiguous.data<int64_t>();
  std::vector<int64_t> positions(static_cast<size_t>(count), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t& position = positions[static_cast<size_t>(i)];
    for (int64_t axis = 0; axis < (linear ? 1 : rank); ++axis) {
      const int64_t size = linear ? *total : sparse.dims[static_cast<size_t>(axis)];
      const int64_t index = *from++;
      if (index < 0 || index >= size) {
        return absl::InvalidArgumentError(absl::StrCat("an index of a sparse tensor is ", index,
                                                       ", not in a dimension of ", size));
      }
      position = position * size + index;
    }
  }
  return positions;
}

absl::Status CheckTensorSize(DType dtype, absl::Span<const int64_t> shape, int64_t limit) {
  const std::optional<int64_t> elements = NumElements(shape);
  std::optional<int64_t> bytes = elements.has_value() ? ByteSize(dtype, *elements) : std::nullopt;
  // Short strings live in their objects; the bytes of long ones are counted when a kernel makes
  // them.
  if (dtype == DType::kString && elements.has_value()) {
    int64_t objects = 0;
    const bool overflows =
        __builtin_mul_overflow(*elements, static_cast<int64_t>(sizeof(std::string)), &objects);
    bytes = overflows ? std::nullopt : std::optional<int64_t>(objects);
  }
  if (bytes.has_value() && *bytes <= limit) return absl::OkStatus();
  for (int64_t dim : shape) {
    if (dim < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("a result cannot have the shape [", absl::StrJoin(shape, ","), "]"));
    }
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "a result of ", DTypeName(dtype), "[", absl::StrJoin(shape, ","), "] takes ",
      bytes.has_value() ? absl::StrCat(*bytes, " bytes, more than the limit of ", limit)
                        : "more bytes than can be counted"));
}

absl::StatusOr<Tensor> Dense(
    const SparseTensor& sparse,
    absl::FunctionRef<absl::StatusOr<Tensor>(DType, absl::Span<const int64_t>)> allocate) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> positions, SparsePositions(sparse));
  OC_ASSIGN_OR_RETURN(const Tensor values, sparse.values.Contiguous());
  const DType dtype = values.dtype();
  OC_ASSIGN_OR_RETURN(Tensor dense, allocate(dtype, sparse.dims));
  if (dtype == DType::kString) {
    std::string* to = dense.mutable_string_data();
    for (size_t i = 0; i < positions.size(); ++i) to[positions[i]] = values.string_data()[i];
    return dense;
  }
  std::byte* to = dense.mutable_raw_data();
  std::fill_n(to, dense.byte_size(), std::byte{0});
  const int width = BitWidth(dtype);
  if (!IsSubByte(dtype)) {
    const int64_t size = width / 8;
    for (size_t i = 0; i < positions.size(); ++i) {
      std::copy_n(values.raw_data() + static_cast<int64_t>(i) * size, size,
                  to + positions[i] * size);
    }
    return dense;
  }
  const auto* from = values.data<uint8_t>();
  for (size_t i = 0; i < positions.size(); ++i) {
    SetPackedElement(dense.mutable_data<uint8_t>(), positions[i], width,
                     PackedElement(from, static_cast<int64_t>(i), width));
  }
  return dense;
}

}  // namespace onnxcmp

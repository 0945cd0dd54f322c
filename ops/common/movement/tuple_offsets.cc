#include "ops/common/movement/tuple_offsets.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

absl::Status CheckShapes(absl::Span<const int64_t> dims, const Tensor& indices,
                         int64_t batch_dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  if (batch_dims < 0 || batch_dims >= std::min<int64_t>(indices.rank(), rank)) {
    return absl::InvalidArgumentError(absl::StrCat("batch_dims ", batch_dims,
                                                   " is out of range for data of rank ", rank,
                                                   " and indices of rank ", indices.rank()));
  }
  if (!std::equal(dims.begin(), dims.begin() + batch_dims, indices.shape().begin())) {
    return absl::InvalidArgumentError(
        absl::StrCat("data and indices differ in their first ", batch_dims, " dimensions"));
  }
  if (indices.shape().back() < 1 || indices.shape().back() > rank - batch_dims) {
    return absl::InvalidArgumentError(absl::StrCat("the last dimension of indices is ",
                                                   indices.shape().back(), ", not in 1 to ",
                                                   rank - batch_dims));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TupleOffsets> OffsetsOfTuples(const KernelContext& ctx, int index,
                                             absl::Span<const int64_t> dims, int64_t batch_dims) {
  const Tensor& indices = ctx.Input(index);
  OC_RETURN_IF_ERROR(CheckShapes(dims, indices, batch_dims));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> values, ctx.IntsInput(index));
  const int64_t tuple = indices.shape().back();
  const int64_t tuples = static_cast<int64_t>(values.size()) / tuple;
  const int64_t batches = *NumElements(dims.first(static_cast<size_t>(batch_dims)));
  const absl::Span<const int64_t> slice = dims.subspan(static_cast<size_t>(batch_dims + tuple));
  TupleOffsets result{
      {}, *NumElements(slice), Shape(indices.shape().begin(), indices.shape().end() - 1)};
  result.shape.insert(result.shape.end(), slice.begin(), slice.end());
  result.offsets.reserve(static_cast<size_t>(tuples));
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t position = i / (tuples / batches);  // of the batch, then of the axes after it
    for (int64_t k = 0; k < tuple; ++k) {
      const int axis = static_cast<int>(batch_dims + k);
      const int64_t size = dims[static_cast<size_t>(axis)];
      const int64_t element = values[static_cast<size_t>(i * tuple + k)];
      if (element < -size || element >= size) return NormalizeIndex(element, axis, size).status();
      position = position * size + (element < 0 ? element + size : element);
    }
    result.offsets.push_back(position * result.block);
  }
  return result;
}

absl::Status CheckUpdates(const TupleOffsets& slices, const Tensor& updates) {
  if (updates.shape() == slices.shape) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("updates have shape [",
                                                 ShapeToString(updates.shape()), "], not [",
                                                 ShapeToString(slices.shape), "]"));
}

}  // namespace onnxcmp

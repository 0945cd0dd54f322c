#include "ops/common/element_offsets.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/load_store.h"
#include "ops/common/movement.h"

namespace onnxcmp {
namespace {

absl::Status CheckShapes(const Tensor& data, const Tensor& indices, int axis) {
  bool fits = data.rank() == indices.rank();
  for (int d = 0; fits && d < data.rank(); ++d) {
    fits = d == axis || indices.dim(d) <= data.dim(d);
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("indices ", indices.TypeString(),
                                                 " do not fit data ", data.TypeString(),
                                                 " along axis ", axis));
}

}  // namespace

absl::StatusOr<ElementOffsets> ElementOffsets::Create(const KernelContext& ctx, int index,
                                                      const Tensor& data, int axis) {
  OC_RETURN_IF_ERROR(CheckShapes(data, ctx.Input(index), axis));
  ElementOffsets result;
  OC_ASSIGN_OR_RETURN(result.indices_, LoadTensor<int64_t>(ctx, ctx.Input(index)));
  result.size_ = data.dim(axis);
  result.strides_ = RowMajorStrides(data.shape());
  result.index_stride_ = std::exchange(result.strides_[static_cast<size_t>(axis)], 0);
  // The extremes first, which takes no branches.
  const absl::Span<const int64_t> indices = result.indices_.AsSpan<int64_t>();
  int64_t least = 0;
  int64_t greatest = -1;
  for (const int64_t i : indices) {
    least = std::min(least, i);
    greatest = std::max(greatest, i);
  }
  if (least < -result.size_ || greatest >= result.size_) {
    for (const int64_t i : indices) {
      OC_RETURN_IF_ERROR(NormalizeIndex(i, axis, result.size_).status());
    }
  }
  return result;
}

void ElementOffsets::Load(int64_t first, int64_t count, int64_t* offsets) const {
  const Shape& shape = indices_.shape();
  const int64_t width = shape.back();
  const int64_t column_stride = strides_.back();
  const int64_t* index = indices_.data<int64_t>() + first;
  while (count > 0) {
    // What is left of a row.
    int64_t base = 0;
    int64_t rest = first / width;
    for (size_t d = shape.size() - 1; d-- > 0; rest /= shape[d]) {
      base += rest % shape[d] * strides_[d];
    }
    const int64_t column = first % width;
    const int64_t part = std::min(width - column, count);
    base += column * column_stride;
    for (int64_t c = 0; c < part; ++c) {
      const int64_t from_front = index[c] < 0 ? index[c] + size_ : index[c];
      offsets[c] = base + c * column_stride + from_front * index_stride_;
    }
    index += part;
    offsets += part;
    first += part;
    count -= part;
  }
}

std::vector<int64_t> ElementOffsets::LoadAll(const ThreadPool& pool) const {
  std::vector<int64_t> offsets(static_cast<size_t>(indices_.num_elements()));
  pool.ParallelRanges(indices_.num_elements(), 16384, [&](int64_t begin, int64_t end) {
    Load(begin, end - begin, offsets.data() + begin);
  });
  return offsets;
}

}  // namespace onnxcmp

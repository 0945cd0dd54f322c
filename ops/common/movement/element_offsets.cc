#include "ops/common/movement/element_offsets.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/movement.h"

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

// positions[i] = base + the index counted from the front; false if one is not in [-size, size).
bool PositionsOf(const int64_t* indices, int64_t count, int64_t size, int64_t base,
                 int64_t* positions) {
  // Unsigned, so that it wraps around: the sign of `all` tells whether anything was out of range.
  const auto limit = static_cast<uint64_t>(size);
  const auto first = static_cast<uint64_t>(base);
  const auto normalize = [limit, first]<typename V>(V& index, V& all) {
    all |= (index + limit) | (limit - 1 - index);
    index += (limit & (V{} - (index >> 63))) + first;
  };
  using V [[gnu::vector_size(32)]] = uint64_t;
  constexpr int64_t kSize = 4;
  constexpr int64_t kAhead = 1024;  // as far as the next call's indices, which may be in no cache
  V all{};
  uint64_t all_of_rest = 0;
  int64_t i = 0;
  for (; i + kSize <= count; i += kSize) {
    V index;
    __builtin_prefetch(indices + i + kAhead);
    std::memcpy(&index, indices + i, sizeof(V));
    normalize(index, all);
    std::memcpy(positions + i, &index, sizeof(V));
  }
  for (; i < count; ++i) {
    auto index = static_cast<uint64_t>(indices[i]);
    normalize(index, all_of_rest);
    positions[i] = static_cast<int64_t>(index);
  }
  return ((all_of_rest | all[0] | all[1] | all[2] | all[3]) >> 63) == 0;
}

}  // namespace

absl::StatusOr<ElementOffsets> ElementOffsets::Create(const KernelContext& ctx, int index,
                                                      const Tensor& data, int axis) {
  OC_RETURN_IF_ERROR(CheckShapes(data, ctx.Input(index), axis));
  ElementOffsets result;
  OC_ASSIGN_OR_RETURN(result.indices_, LoadTensor<int64_t>(ctx, ctx.Input(index)));
  result.axis_ = axis;
  result.size_ = data.dim(axis);
  result.strides_ = RowMajorStrides(data.shape());
  result.index_stride_ = std::exchange(result.strides_[static_cast<size_t>(axis)], 0);
  return result;
}

bool ElementOffsets::Load(int64_t first, int64_t count, int64_t* offsets) const {
  const Shape& shape = indices_.shape();
  const int64_t width = shape.back();
  const int64_t column_stride = strides_.back();
  const int64_t* index = indices_.data<int64_t>() + first;
  while (count > 0) {
    // The rest of a row.
    int64_t base = 0;
    int64_t rest = first / width;
    for (size_t d = shape.size() - 1; d-- > 0; rest /= shape[d]) {
      base += rest % shape[d] * strides_[d];
    }
    const int64_t column = first % width;
    const int64_t part = std::min(width - column, count);
    base += column * column_stride;
    if (index_stride_ == 1 && column_stride == 0) {  // the last axis
      if (!PositionsOf(index, part, size_, base, offsets)) return false;
    } else {
      if (!PositionsOf(index, part, size_, 0, offsets)) return false;
      for (int64_t c = 0; c < part; ++c) {
        offsets[c] = base + c * column_stride + offsets[c] * index_stride_;
      }
    }
    index += part;
    offsets += part;
    first += part;
    count -= part;
  }
  return true;
}

absl::StatusOr<std::vector<int64_t>> ElementOffsets::LoadAll(const ThreadPool& pool) const {
  std::vector<int64_t> offsets(static_cast<size_t>(indices_.num_elements()));
  std::atomic<bool> in_range{true};
  pool.ParallelRanges(indices_.num_elements(), 16384, [&](int64_t begin, int64_t end) {
    if (!Load(begin, end - begin, offsets.data() + begin)) in_range = false;
  });
  if (!in_range) return RangeError();
  return offsets;
}

absl::Status ElementOffsets::RangeError() const {
  for (const int64_t index : indices_.AsSpan<int64_t>()) {
    OC_RETURN_IF_ERROR(NormalizeIndex(index, axis_, size_).status());
  }
  return absl::InternalError("no index is out of range");
}

}  // namespace onnxcmp

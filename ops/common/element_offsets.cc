#include "ops/common/element_offsets.h"

#include "absl/strings/str_cat.h"
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

absl::StatusOr<std::vector<int64_t>> ElementOffsets(const KernelContext& ctx, int index,
                                                    const Tensor& data, int axis) {
  const Tensor& indices = ctx.Input(index);
  OC_RETURN_IF_ERROR(CheckShapes(data, indices, axis));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> offsets, ctx.IntsInput(index));
  OC_RETURN_IF_ERROR(NormalizeIndices(absl::MakeSpan(offsets), axis, data.dim(axis)));
  if (offsets.empty()) return offsets;
  const Shape& shape = indices.shape();
  Shape strides = RowMajorStrides(data.shape());
  const int64_t index_stride = strides[static_cast<size_t>(axis)];
  strides[static_cast<size_t>(axis)] = 0;
  const int64_t row = shape.back();
  const int64_t column_stride = strides.back();
  ctx.pool().ParallelRanges(static_cast<int64_t>(offsets.size()) / row, 1 + 16384 / row,
                            [&](int64_t begin, int64_t end) {
                              for (int64_t r = begin; r < end; ++r) {
                                int64_t base = 0;
                                int64_t rest = r;
                                for (size_t d = shape.size() - 1; d-- > 0;) {
                                  base += rest % shape[d] * strides[d];
                                  rest /= shape[d];
                                }
                                int64_t* offset = offsets.data() + r * row;
                                for (int64_t c = 0; c < row; ++c) {
                                  offset[c] = base + c * column_stride + offset[c] * index_stride;
                                }
                              }
                            });
  return offsets;
}

}  // namespace onnxcmp

#include "compare/sides/recorded_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

bool IsPermutation(const std::vector<int>& axes, int rank) {
  if (static_cast<int>(axes.size()) != rank) return false;
  std::vector<bool> seen(axes.size());
  for (const int axis : axes) {
    if (axis < 0 || axis >= rank || seen[static_cast<size_t>(axis)]) return false;
    seen[static_cast<size_t>(axis)] = true;
  }
  return true;
}

// The elements of a view in its order, in another shape.
absl::StatusOr<Tensor> RearrangedAxes(const Tensor& tensor, const Shape& split,
                                      const std::vector<int>& axes, const Shape& shape) {
  const Tensor whole = tensor.Reshaped(split);
  Shape sizes;
  Shape strides;
  for (const int axis : axes) {
    sizes.push_back(whole.dim(axis));
    strides.push_back(whole.strides()[static_cast<size_t>(axis)]);
  }
  OC_ASSIGN_OR_RETURN(const Tensor made,
                      whole.Strided(sizes, strides, whole.offset()).Contiguous());
  return made.Reshaped(shape);
}

// The first channels of [N,C,H,W], or with zeros behind them.
absl::StatusOr<Tensor> WithChannels(const Tensor& tensor, int64_t channels) {
  if (tensor.dim(1) == channels) return tensor;
  Shape shape = tensor.shape();
  shape[1] = channels;
  OC_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(tensor.dtype(), shape));
  const auto to = static_cast<size_t>(made.byte_size() / std::max<int64_t>(1, shape[0]));
  const auto from = static_cast<size_t>(tensor.byte_size() / std::max<int64_t>(1, shape[0]));
  std::byte* const bytes = made.mutable_raw_data();
  std::memset(bytes, 0, static_cast<size_t>(made.byte_size()));
  for (size_t n = 0; n < static_cast<size_t>(shape[0]); ++n) {
    std::memcpy(bytes + n * to, tensor.raw_data() + n * from, std::min(to, from));
  }
  return made;
}

// From blocks of channels, or into them.
absl::StatusOr<Tensor> OfBlocks(Tensor recorded, const Shape& shown, int block) {
  // The block may have an axis of its own, the last one.
  if (recorded.rank() == 5 && block > 0 && recorded.dim(4) == block) {
    recorded = recorded.Reshaped(
        {recorded.dim(0), recorded.dim(1) * block, recorded.dim(2), recorded.dim(3)});
  }
  const auto refuse = [] { return absl::InvalidArgumentError("these are no blocks of channels"); };
  if (recorded.rank() != 4 || shown.size() != 4 || recorded.dtype() == DType::kString ||
      BitWidth(recorded.dtype()) < 8) {
    return refuse();
  }
  const int64_t size = std::abs(block);
  const int64_t padded = block > 0 ? recorded.dim(1) : shown[1];
  const int64_t channels = block > 0 ? shown[1] : recorded.dim(1);
  if (padded % size != 0 || channels > padded) return refuse();
  const int64_t n = recorded.dim(0), h = recorded.dim(2), w = recorded.dim(3);
  const Shape whole = {n, padded, h, w};
  if (block > 0) {
    OC_ASSIGN_OR_RETURN(const Tensor made, RearrangedAxes(recorded, {n, padded / size, h, w, size},
                                                          {0, 1, 4, 2, 3}, whole));
    return WithChannels(made, channels);
  }
  OC_ASSIGN_OR_RETURN(const Tensor filled, WithChannels(recorded, padded));
  return RearrangedAxes(filled, {n, padded / size, size, h, w}, {0, 1, 3, 4, 2}, whole);
}

}  // namespace

absl::StatusOr<Value> InLayout(const Value& value, const RecordedLayout& layout) {
  const auto refused = [&] {
    return absl::InvalidArgumentError(absl::StrCat(value.TypeString(), " has no such layout"));
  };
  if (!value.is_tensor()) return refused();
  OC_ASSIGN_OR_RETURN(Tensor made, value.tensor().Contiguous());
  if (layout.block != 0) {
    OC_ASSIGN_OR_RETURN(made, OfBlocks(made, layout.shape, layout.block));
  }
  if (!layout.axes.empty()) {
    if (!IsPermutation(layout.axes, made.rank()) || BitWidth(made.dtype()) < 8) return refused();
    Shape shape;
    Shape strides;
    for (const int axis : layout.axes) {
      shape.push_back(made.shape()[static_cast<size_t>(axis)]);
      strides.push_back(made.strides()[static_cast<size_t>(axis)]);
    }
    OC_ASSIGN_OR_RETURN(made, made.Strided(shape, strides, made.offset()).Contiguous());
  }
  if (NumElements(layout.shape) != made.num_elements()) return refused();
  made = made.Reshaped(layout.shape);
  if (layout.rows.empty()) return Value(std::move(made));
  const auto rows = static_cast<int64_t>(layout.rows.size());
  if (made.rank() == 0 || made.dim(0) != rows || made.dtype() == DType::kString ||
      BitWidth(made.dtype()) < 8) {
    return refused();
  }
  OC_ASSIGN_OR_RETURN(Tensor sorted, Tensor::Allocate(made.dtype(), made.shape()));
  const auto bytes = static_cast<size_t>(made.byte_size() / std::max<int64_t>(rows, 1));
  for (size_t i = 0; i < layout.rows.size(); ++i) {
    const int64_t from = layout.rows[i];
    if (from < 0 || from >= rows) return refused();
    std::memcpy(sorted.mutable_raw_data() + i * bytes,
                made.raw_data() + static_cast<size_t>(from) * bytes, bytes);
  }
  return Value(std::move(sorted));
}

}  // namespace onnxcmp

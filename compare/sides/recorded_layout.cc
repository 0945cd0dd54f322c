#include "compare/sides/recorded_layout.h"

#include <algorithm>
#include <cstddef>
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

}  // namespace

absl::StatusOr<Value> InLayout(const Value& value, const RecordedLayout& layout) {
  const auto refused = [&] {
    return absl::InvalidArgumentError(absl::StrCat(value.TypeString(), " has no such layout"));
  };
  if (!value.is_tensor()) return refused();
  OC_ASSIGN_OR_RETURN(Tensor made, value.tensor().Contiguous());
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

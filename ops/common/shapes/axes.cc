#include "ops/common/shapes/axes.h"

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {

absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank) {
  if (axis < -int64_t{rank} || axis >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " is out of range for rank ", rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

absl::StatusOr<Axes> NormalizeAxes(absl::Span<const int64_t> axes, int rank) {
  Axes result(axes.size());
  absl::InlinedVector<bool, 16> seen(static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) {
    OC_ASSIGN_OR_RETURN(result[i], NormalizeAxis(axes[i], rank));
    bool& again = seen[static_cast<size_t>(result[i])];
    if (again) {
      return absl::InvalidArgumentError(absl::StrCat("axis ", axes[i], " is given twice"));
    }
    again = true;
  }
  return result;
}

}  // namespace onnxcmp

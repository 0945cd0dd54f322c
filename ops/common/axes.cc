#include "ops/common/axes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "evaluator/status_macros.h"

namespace onnxcmp {

absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank) {
  if (axis < -int64_t{rank} || axis >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " is out of range for rank ", rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

absl::StatusOr<Axes> NormalizeAxes(absl::Span<const int64_t> axes, int rank) {
  Axes result;
  for (int64_t axis : axes) {
    OC_ASSIGN_OR_RETURN(int normalized, NormalizeAxis(axis, rank));
    // Axes are all different, so there are at most `rank` to look through.
    if (std::find(result.begin(), result.end(), normalized) != result.end()) {
      return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " is given twice"));
    }
    result.push_back(normalized);
  }
  return result;
}

}  // namespace onnxcmp

#include "record/differences/mismatch_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {

std::string MismatchText(const Value& want, const Value& got, const ValueDifference& difference,
                         const Tolerances& tolerances) {
  if (!difference.reason.empty() || difference.beyond == 0) {
    return absl::StrCat(got.TypeString(), " instead of ", want.TypeString(), ": ",
                        difference.reason.empty() ? difference.fault : difference.reason,
                        " (expected | got)\n");
  }
  DifferenceOptions options;
  options.tolerance = tolerances;
  const TensorDifference all = TensorDifferenceOf(want, got, options);
  std::string text = absl::StrFormat(
      "%s: %d of %d elements beyond %g + %g*max(|a|,|b|)\n"
      "  max abs %.3g at %s, max rel %.3g at %s, max ulp %.3g; NaN: %d expected, %d got\n",
      got.TypeString(), difference.beyond, difference.elements, difference.tolerance.atol,
      difference.tolerance.rtol, difference.max_absolute, difference.max_absolute_at,
      difference.max_relative, difference.max_relative_at, all.max_ulp, all.nan_left,
      all.nan_right);
  for (const ElementPair& pair : all.worst) {
    absl::StrAppend(&text, "  ", pair.index, " expected ", pair.left, ", got ", pair.right,
                    absl::StrFormat(" (abs %.3g, rel %.3g)\n", pair.absolute, pair.relative));
  }
  return text;
}

}  // namespace onnxcmp

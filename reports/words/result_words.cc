#include "reports/words/result_words.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "record/streams/result_stream.h"
#include "record/streams/result_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {

std::string CauseName(const Comparison& comparison, const Cause& cause, SideId side) {
  if (!cause.in_body.has_value()) {
    return PathAndName(OfSide(comparison, side), OfSide(cause, side));
  }
  const CauseInBody& place = *cause.in_body;
  return side == SideId::kLeft ? PathAndName(place.left_path, place.left_name)
                               : PathAndName(place.right_path, place.right_name);
}

std::string CauseSourceLine(const Comparison& comparison, const Cause& cause) {
  const auto line = [&](SideId side) -> absl::string_view {
    const int result = OfSide(cause, side);
    if (result == kNone || cause.in_body.has_value()) return "";
    const ResultStream& stream = OfSide(comparison, side);
    const int node = stream.results[Index(result)].node;
    return node == kNone ? "" : absl::string_view(stream.nodes[Index(node)].source_line);
  };
  const absl::string_view left = line(SideId::kLeft), right = line(SideId::kRight);
  return absl::StrCat(left, left.empty() || right.empty() || left == right ? "" : " | ",
                      left == right ? "" : right);
}

std::string GreatestDifference(const TensorDifference& difference, DType dtype) {
  const ValueDifference& values = difference.values;
  if (!values.reason.empty()) {
    // "shape [2,3] | [3,2]": the part after the word is in the notes.
    return absl::StrCat("other ", values.reason.substr(0, values.reason.find_first_of(" :")));
  }
  if (dtype == DType::kString || dtype == DType::kBool) {
    return absl::StrCat(values.beyond, " of ", values.elements);
  }
  if (difference.non_finite_disagree > 0) {
    const bool nan = difference.nan_left != difference.nan_right;
    const bool infinite = difference.infinite_left != difference.infinite_right;
    return absl::StrCat(difference.non_finite_disagree, " ",
                        nan && infinite ? "NaN, inf"
                        : infinite      ? "inf"
                                        : "NaN");
  }
  // Integers may have been measured dequantized.
  const bool whole = std::floor(values.max_absolute) == values.max_absolute;
  return TwoDigits(values.max_absolute, IsInteger(dtype) && whole);
}

}  // namespace onnxcmp

#include "compare/reports/words/result_words.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "compare/text/display_text.h"

namespace onnxcmp {

std::string WhatMade(const ResultStream& stream, int result) {
  const StreamResult& made = stream.results[static_cast<size_t>(result)];
  switch (made.kind) {
    case ResultKind::kInitializer:
      return "init";
    case ResultKind::kInput:
      return "input";
    case ResultKind::kOutput:
      return "output";
    case ResultKind::kResult:
      break;
  }
  return PrintableText(OpTypeOf(made, stream));
}

namespace {

std::string Joined(const std::string& path, const std::string& name) {
  return path.empty() ? PrintableText(name)
                      : absl::StrCat(PrintableText(path), "/", PrintableText(name));
}

}  // namespace

std::string PathAndName(const ResultStream& stream, int result) {
  if (result == kNone) return "";
  const StreamResult& made = stream.results[Index(result)];
  return Joined(made.path, made.name);
}

std::string CauseName(const Cause& cause, bool left, const ResultStream& stream) {
  if (!cause.in_body.has_value()) return PathAndName(stream, left ? cause.left : cause.right);
  const CauseInBody& place = *cause.in_body;
  return left ? Joined(place.left_path, place.left_name)
              : Joined(place.right_path, place.right_name);
}

std::string ShortDType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "bool";
    case DType::kString:
      return "string";
    case DType::kBfloat16:
      return "bf16";
    default:
      break;
  }
  absl::string_view name = DTypeName(dtype);
  if (name == "float") return "f32";
  if (name == "double") return "f64";
  if (absl::ConsumePrefix(&name, "float")) return absl::StrCat("f", name);
  if (absl::ConsumePrefix(&name, "uint")) return absl::StrCat("u", name);
  if (absl::ConsumePrefix(&name, "int")) return absl::StrCat("i", name);
  if (absl::ConsumePrefix(&name, "complex")) return absl::StrCat("c", name);
  return std::string(name);
}

std::string ShortShape(const Shape& shape) {
  return shape.empty() ? "scalar" : absl::StrJoin(shape, "x");
}

std::string ShortType(const StreamResult& result) {
  if (!result.shape.has_value()) return PrintableText(result.type);
  if (result.shape->empty()) return ShortDType(result.dtype);
  return absl::StrCat(ShortDType(result.dtype), " ", ShortShape(*result.shape));
}

std::string TwoDigits(double number, bool integer) {
  if (number == 0) return "0";
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  if (integer && std::abs(number) < 1e7) return absl::StrFormat("%.0f", number);
  return absl::StrFormat("%.1e", number);
}

std::string UlpText(double ulp) {
  if (ulp >= 1e4) return absl::StrFormat("%.1e ulp", ulp);
  if (ulp < 10 && ulp != std::floor(ulp)) return absl::StrFormat("%.1f ulp", ulp);
  return absl::StrFormat("%.0f ulp", ulp);
}

std::string GreatestDifference(const TensorDifference& difference, DType dtype) {
  const ValueDifference& values = difference.values;
  if (!values.reason.empty()) {
    // "shape [2,3] | [3,2]": what follows the word is in the notes.
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
  return TwoDigits(values.max_absolute, IsInteger(dtype));
}

std::string ElementsText(absl::string_view pair) {
  return absl::StrReplaceAll(PrintableText(pair), {{" | ", absl::StrCat(kNoBreak, "|", kNoBreak)}});
}

std::string Count(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string BytesText(int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  double number = static_cast<double>(bytes);
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < kUnits.size()) {
    number /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return absl::StrFormat("%.*f %s", decimals, number, kUnits[unit]);
}

}  // namespace onnxcmp

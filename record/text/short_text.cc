#include "record/text/short_text.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "record/text/display_text.h"

namespace onnxcmp {

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

std::string TwoDigits(double number, bool integer) {
  if (number == 0) return "0";
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  if (integer && std::abs(number) < 1e7) return absl::StrFormat("%.0f", number);
  const double size = std::abs(number);
  // In two digits these are 0.001 and not 1.0e-03.
  if (size < 9.95e-4 || size >= 1e6) return absl::StrFormat("%.1e", number);
  if (size < 1) return absl::StrFormat("%.2g", number);
  if (std::floor(number) == number) return absl::StrFormat("%.0f", number);
  if (size < 100) return absl::StrFormat("%.3g", number);
  // Three digits of a number from 1000 on would be a power of ten.
  double rounded = number;
  if (!absl::SimpleAtod(absl::StrFormat("%.2e", number), &rounded)) return "";
  return absl::StrFormat("%.0f", rounded);
}

std::string PercentText(double share) {
  const double percent = 100 * share;
  if (percent >= 1e6) return absl::StrCat(TwoDigits(share), " times");
  // Two digits of a number from 100 on would be a power of ten.
  return percent >= 99.5 ? absl::StrFormat("%.0f %%", percent)
                         : absl::StrFormat("%.2g %%", percent);
}

std::string UlpText(double ulp) {
  if (ulp >= 1e4) return absl::StrFormat("%.1e ulp", ulp);
  if (ulp < 10 && ulp != std::floor(ulp)) return absl::StrFormat("%.1f ulp", ulp);
  return absl::StrFormat("%.0f ulp", ulp);
}

std::string ElementsText(absl::string_view pair) {
  return absl::StrReplaceAll(PrintableText(pair), {{" | ", absl::StrCat(kNoBreak, "|", kNoBreak)}});
}

std::string Count(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

void CutList(std::vector<std::string>* items, size_t most, absl::string_view what) {
  if (items->size() <= most + 1) return;
  const size_t left_out = items->size() - most;
  items->resize(most);
  items->push_back(absl::StrCat("… ", left_out, " ", what));
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

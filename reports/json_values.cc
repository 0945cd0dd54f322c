#include "reports/json_values.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace onnxcmp {

std::string DumpJson(const ReportJson& json) {
  return json.dump(-1, ' ', false, ReportJson::error_handler_t::replace);
}

bool IsExactInJson(int64_t number) {
  constexpr int64_t kGreatestExact = int64_t{1} << 53;
  return number >= -kGreatestExact && number <= kGreatestExact;
}

ReportJson JsonInteger(int64_t number) {
  return IsExactInJson(number) ? ReportJson(number) : ReportJson(absl::StrCat(number));
}

ReportJson JsonReal(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

ReportJson JsonText(absl::string_view text) { return std::string(text); }

}  // namespace onnxcmp

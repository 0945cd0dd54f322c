// Values of a report in JSON.
#ifndef ONNXCMP_REPORTS_JSON_VALUES_H_
#define ONNXCMP_REPORTS_JSON_VALUES_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

using ReportJson = nlohmann::ordered_json;

// In one line; bytes that are not UTF-8 become U+FFFD.
std::string DumpJson(const ReportJson& json);

// Up to 2^53: many readers use doubles.
bool IsExactInJson(int64_t number);
// Others become strings of digits.
ReportJson JsonInteger(int64_t number);
// "NaN", "Infinity" and "-Infinity" for values that JSON lacks.
ReportJson JsonReal(double number);
ReportJson JsonText(absl::string_view text);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_JSON_VALUES_H_

// Common parts of pages and JSON files.
#ifndef ONNXCMP_REPORTS_JSON_AROUND_H_
#define ONNXCMP_REPORTS_JSON_AROUND_H_

#include <string>

#include "compare/outcome/comparison.h"
#include "reports/json_lines.h"

namespace onnxcmp {

// The report with these lines in it.
std::string JsonAround(const Comparison& comparison, const JsonLines& lines);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_JSON_AROUND_H_

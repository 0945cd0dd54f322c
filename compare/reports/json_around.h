// Common parts of pages and JSON files.
#ifndef ONNXCMP_COMPARE_REPORTS_JSON_AROUND_H_
#define ONNXCMP_COMPARE_REPORTS_JSON_AROUND_H_

#include <string>

#include "compare/comparison/comparison.h"

namespace onnxcmp {

// The long arrays of a report, as JSON: results of both sides, rows.
struct JsonLines {
  std::string left, right, rows;
};

// The report with these arrays.
std::string JsonAround(const Comparison& comparison, const JsonLines& lines);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_JSON_AROUND_H_

// The rows of a comparison as comma-separated values.
#ifndef ONNXCMP_REPORTS_RENDER_CSV_H_
#define ONNXCMP_REPORTS_RENDER_CSV_H_

#include <string>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// In the format of RFC 4180, in UTF-8: a line of column names and a line for each row, CR LF after
// each. docs/formats.md describes the columns.
std::string RenderCsv(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_CSV_H_

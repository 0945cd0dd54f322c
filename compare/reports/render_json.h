// A comparison as JSON.
#ifndef ONNXCMP_COMPARE_REPORTS_RENDER_JSON_H_
#define ONNXCMP_COMPARE_REPORTS_RENDER_JSON_H_

#include <string>

#include "compare/comparison/comparison.h"

namespace onnxcmp {

// docs/formats.md describes the format and docs/comparison.schema.json defines it. Each result,
// row, output or cause has a line; a newline ends the text, which is UTF-8 whatever bytes names
// contain.
std::string RenderJson(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_RENDER_JSON_H_

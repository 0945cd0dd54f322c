// A comparison as JSON.
#ifndef ONNXCMP_COMPARE_REPORTS_RENDER_JSON_H_
#define ONNXCMP_COMPARE_REPORTS_RENDER_JSON_H_

#include <string>

#include "compare/comparison/comparison.h"

namespace onnxcmp {

// docs/formats.md describes the form and docs/comparison.schema.json defines it. A result, a row,
// an output or a cause is a line; a newline ends the text, which is UTF-8 whatever names hold.
std::string RenderJson(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_RENDER_JSON_H_

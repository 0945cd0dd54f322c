// A comparison as a drawing for Graphviz.
#ifndef ONNXCMP_REPORTS_RENDER_DOT_H_
#define ONNXCMP_REPORTS_RENDER_DOT_H_

#include <string>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// Both graphs side by side, a box for each result, pairs at the same height and joined by a dashed
// line. Constants are left out unless they differ.
std::string RenderDot(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_DOT_H_

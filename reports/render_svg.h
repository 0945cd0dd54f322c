// A comparison as one picture.
#ifndef ONNXCMP_REPORTS_RENDER_SVG_H_
#define ONNXCMP_REPORTS_RENDER_SVG_H_

#include <string>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// For mails, comments and pages of documents, where no script runs: verdict, causes, what changed,
// both graphs there, the elements that differ. It needs no other file.
std::string RenderSvg(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_SVG_H_

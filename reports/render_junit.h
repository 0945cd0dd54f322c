// A comparison as a test report for continuous integration.
#ifndef ONNXCMP_REPORTS_RENDER_JUNIT_H_
#define ONNXCMP_REPORTS_RENDER_JUNIT_H_

#include <string>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// A test for the run of each side, which is in error if it ended early, and one for each output,
// which fails if the sides do not agree on it. Causes are in the text beside them. Rows in between
// have no tests: they may differ although the outputs agree.
std::string RenderJunit(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_JUNIT_H_

// Both graphs around a pair, in step, on a picture.
#ifndef ONNXCMP_REPORTS_SVG_DRAW_GRAPHS_AROUND_H_
#define ONNXCMP_REPORTS_SVG_DRAW_GRAPHS_AROUND_H_

#include "absl/strings/string_view.h"
#include "compare/outcome/comparison.h"
#include "reports/svg/svg_paper.h"

namespace onnxcmp {

// The steps around these results, either of which may be kNone, as many as are readable side by
// side.
void DrawGraphsAround(const Comparison& comparison, absl::string_view title, int left, int right,
                      SvgPaper* paper);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_SVG_DRAW_GRAPHS_AROUND_H_

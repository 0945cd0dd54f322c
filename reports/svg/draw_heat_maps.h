// The elements of a pair as maps of colors on a picture.
#ifndef ONNXCMP_REPORTS_SVG_DRAW_HEAT_MAPS_H_
#define ONNXCMP_REPORTS_SVG_DRAW_HEAT_MAPS_H_

#include "compare/pictures/value_picture.h"
#include "reports/svg/svg_paper.h"

namespace onnxcmp {

// Left, right and their difference side by side: of the slice that differs most.
void DrawHeatMaps(const ValuePicture& picture, SvgPaper* paper);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_SVG_DRAW_HEAT_MAPS_H_

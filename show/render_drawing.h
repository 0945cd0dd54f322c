// A drawing as SVG, as a page with it, and in Graphviz's language.
#ifndef ONNXCMP_SHOW_RENDER_DRAWING_H_
#define ONNXCMP_SHOW_RENDER_DRAWING_H_

#include <string>

#include "show/drawing.h"

namespace onnxcmp {

// A picture that needs nothing else: no script, no font, no address.
std::string RenderSvg(const Drawing& drawing);

// A page of one file that loads nothing: the picture, which can be moved and enlarged, a search by
// name and operator, and what a box stands for.
std::string RenderDrawingPage(const Drawing& drawing);

std::string RenderDrawingDot(const Drawing& drawing);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_RENDER_DRAWING_H_

// A drawing as JSON, which the page shows.
#ifndef ONNXCMP_SHOW_DRAWING_JSON_H_
#define ONNXCMP_SHOW_DRAWING_JSON_H_

#include <string>

#include "show/drawing.h"

namespace onnxcmp {

// The graphs with their boxes and lines where they lie; page/src/drawing.ts says what is in it.
std::string DrawingJson(const Drawing& drawing);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_DRAWING_JSON_H_

// Script and style of the page with a drawing, which CMake makes from show/page.
#ifndef ONNXCMP_SHOW_PAGE_BUNDLE_H_
#define ONNXCMP_SHOW_PAGE_BUNDLE_H_

#include "reports/page_bundle.h"

namespace onnxcmp {

const PageBundle& GetDrawingBundle();

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_PAGE_BUNDLE_H_

// Results and rows for a page: as RenderJson has them, but short, and written in a fraction of the
// time.
#ifndef ONNXCMP_COMPARE_REPORTS_PAGE_LINES_H_
#define ONNXCMP_COMPARE_REPORTS_PAGE_LINES_H_

#include <cstddef>

#include "compare/comparison/comparison.h"
#include "compare/reports/json_around.h"

namespace onnxcmp {

struct PageDetail {
  size_t rows_with_elements = 1000;  // how many of those that differ show their worst elements
  bool statistics = true;
};

// Numbers have six digits; optional members are left out that say nothing or that no page shows. Of
// a pair with the same bits the left alone has statistics.
JsonLines PageLines(const Comparison& comparison, const PageDetail& detail);

// Whether all rows show their worst elements.
bool ShowsAllElements(const Comparison& comparison, const PageDetail& detail);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_PAGE_LINES_H_

// Results and rows for a page: as in RenderJson, but short, and written in a fraction of the time.
#ifndef ONNXCMP_COMPARE_REPORTS_PAGE_LINES_H_
#define ONNXCMP_COMPARE_REPORTS_PAGE_LINES_H_

#include <cstddef>

#include "compare/comparison/comparison.h"
#include "compare/reports/json_around.h"

namespace onnxcmp {

struct PageDetail {
  size_t rows_with_elements = 1000;  // number of differing rows that show their worst elements
  bool statistics = true;
};

// Numbers have six digits; optional members are left out if they are empty or not shown. For a pair
// with the same bits, only the left has statistics.
JsonLines PageLines(const Comparison& comparison, const PageDetail& detail);

// True if all rows show their worst elements.
bool ShowsAllElements(const Comparison& comparison, const PageDetail& detail);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_PAGE_LINES_H_

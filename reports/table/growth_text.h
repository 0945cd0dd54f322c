// How the error grows along the results, in a word's length.
#ifndef ONNXCMP_REPORTS_TABLE_GROWTH_TEXT_H_
#define ONNXCMP_REPORTS_TABLE_GROWTH_TEXT_H_

#include <string>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// "▁▁▁▂▃▆█  errors beside ranges along 80 pairs, up to 5.0e-01": the greatest of each
// stretch of results in their order, on a scale of logarithms. "" if too few are apart.
std::string GrowthText(const Comparison& comparison, bool ascii);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_GROWTH_TEXT_H_

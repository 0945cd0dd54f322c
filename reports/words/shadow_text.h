// Words of a report about the runs in double.
#ifndef ONNXCMP_REPORTS_WORDS_SHADOW_TEXT_H_
#define ONNXCMP_REPORTS_WORDS_SHADOW_TEXT_H_

#include <string>
#include <vector>

#include "compare/in_double/shadow.h"

namespace onnxcmp {

// Remarks for the reader: the verdict, the distance of the sides in double, and caveats. A sentence
// each.
std::vector<std::string> ShadowText(const ShadowReport& report);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_SHADOW_TEXT_H_

// What a report says of the runs in double.
#ifndef ONNXCMP_COMPARE_REPORTS_WORDS_SHADOW_TEXT_H_
#define ONNXCMP_COMPARE_REPORTS_WORDS_SHADOW_TEXT_H_

#include <string>
#include <vector>

#include "compare/shadow/shadow.h"

namespace onnxcmp {

// What a reader should know of it: the verdict, how far the sides are apart in double, and where it
// would mislead. A sentence each.
std::vector<std::string> ShadowText(const ShadowReport& report);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_WORDS_SHADOW_TEXT_H_

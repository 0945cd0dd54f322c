// Names of a column that stay different when they are shortened.
#ifndef ONNXCMP_RECORD_TEXT_DISTINCT_NAMES_H_
#define ONNXCMP_RECORD_TEXT_DISTINCT_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// Each name in at most `width` columns. Those that are too long lose what they share in front and
// behind, as much of it as has no room, and then their start, their middle or their end: where that
// leaves most of them different. The mark stands for each part that is left out.
std::vector<std::string> ShortenApart(const std::vector<std::string>& names, int width,
                                      absl::string_view mark);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_DISTINCT_NAMES_H_

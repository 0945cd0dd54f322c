// Commands with places for names of files and candidates.
#ifndef ONNXCMP_TOOLS_BISECT_PLACEHOLDERS_H_
#define ONNXCMP_TOOLS_BISECT_PLACEHOLDERS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// Values by placeholder: {"{n}", "7"}.
using Placeholders = std::vector<std::pair<std::string, std::string>>;

// The command with each placeholder replaced by its value, quoted for a shell where that is needed.
// Other braces stay as they are.
std::string FillIn(absl::string_view command, const Placeholders& values);

bool HasPlaceholder(absl::string_view command, absl::string_view placeholder);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_BISECT_PLACEHOLDERS_H_

#include "tools/bisect/placeholders.h"

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "record/runtimes/shell_line.h"

namespace onnxcmp {

std::string FillIn(absl::string_view command, const Placeholders& values) {
  Placeholders quoted;
  for (const auto& [placeholder, value] : values) {
    quoted.emplace_back(placeholder, ShellWord(value));
  }
  return absl::StrReplaceAll(command, quoted);
}

bool HasPlaceholder(absl::string_view command, absl::string_view placeholder) {
  return absl::StrContains(command, placeholder);
}

}  // namespace onnxcmp

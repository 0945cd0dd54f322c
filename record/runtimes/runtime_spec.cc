#include "record/runtimes/runtime_spec.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace onnxcmp {

std::string RuntimeSpec::Text() const {
  std::string text = name;
  for (size_t i = 0; i < options.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? ":" : ",", options[i].first, "=", options[i].second);
  }
  return text;
}

absl::StatusOr<RuntimeSpec> ParseRuntimeSpec(absl::string_view text) {
  RuntimeSpec spec;
  const size_t colon = text.find(':');
  spec.name = std::string(text.substr(0, colon));
  if (spec.name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' names no runtime"));
  }
  if (colon == absl::string_view::npos) return spec;
  for (const absl::string_view part : absl::StrSplit(text.substr(colon + 1), ',')) {
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos && !spec.options.empty()) {
      absl::StrAppend(&spec.options.back().second, ",", part);
      continue;
    }
    const std::string key(part.substr(0, equals));
    if (equals == absl::string_view::npos || key.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("'", text, "': '", part,
                                                     "' is no key=value; a runtime is written "
                                                     "NAME:key=value,key=value"));
    }
    const auto same = [&](const auto& option) { return option.first == key; };
    if (std::any_of(spec.options.begin(), spec.options.end(), same)) {
      return absl::InvalidArgumentError(absl::StrCat("'", text, "' gives ", key, " twice"));
    }
    spec.options.emplace_back(key, part.substr(equals + 1));
  }
  return spec;
}

}  // namespace onnxcmp

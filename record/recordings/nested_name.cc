#include "record/recordings/nested_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace onnxcmp {
namespace {

// A step into a value: by an index or by a key.
struct Step {
  bool by_number = false;
  bool plain = true;  // in a tuple, a list or a dict
  absl::string_view text;
};

bool IsNumber(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

bool IsIdentifier(absl::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

bool IsValue(absl::string_view part) {
  static constexpr absl::string_view kValues[] = {"tensor", "array", "int",
                                                  "float",  "bool",  "empty"};
  return std::find(std::begin(kValues), std::end(kValues), part) != std::end(kValues);
}

// "tuple_0", "list_1.", "dict_key", "dict._key", "DynamicCache_key_cache".
std::optional<Step> ParseStep(absl::string_view part) {
  const size_t line = part.find('_');
  if (line == absl::string_view::npos) return std::nullopt;
  absl::string_view type = part.substr(0, line);
  Step step;
  step.text = part.substr(line + 1);
  step.by_number = type == "tuple" || type == "list";
  if (step.by_number) {
    absl::ConsumeSuffix(&step.text, ".");
    return IsNumber(step.text) ? std::optional<Step>(step) : std::nullopt;
  }
  absl::ConsumeSuffix(&type, ".");
  step.plain = type == "dict";
  return IsIdentifier(type) ? std::optional<Step>(step) : std::nullopt;
}

struct ModuleKey {
  absl::string_view path;
  absl::string_view type;
  absl::string_view call;
  bool is_output = false;
};

// Cuts off the part after the last `separator`.
std::optional<absl::string_view> TakeLast(absl::string_view* text, char separator) {
  const size_t at = text->rfind(separator);
  if (at == absl::string_view::npos) return std::nullopt;
  const absl::string_view last = text->substr(at + 1);
  *text = text->substr(0, at);
  return last;
}

// "((decoder.attention-Heads-110,0,O))": path, class and line, call, input or output.
std::optional<ModuleKey> ParseModuleKey(absl::string_view key) {
  if (!absl::ConsumePrefix(&key, "((") || !absl::ConsumeSuffix(&key, "))")) return std::nullopt;
  ModuleKey module;
  const std::optional<absl::string_view> way = TakeLast(&key, ',');
  const std::optional<absl::string_view> call = TakeLast(&key, ',');
  if (!way.has_value() || !call.has_value() || !IsNumber(*call)) return std::nullopt;
  if (*way != "I" && *way != "O") return std::nullopt;
  module.call = *call;
  module.is_output = *way == "O";
  module.path = key;
  const std::optional<absl::string_view> number = TakeLast(&key, '-');
  if (!number.has_value() || !IsNumber(*number)) return module;
  if (const std::optional<absl::string_view> type = TakeLast(&key, '-')) {
    module.path = key;
    module.type = *type;
  }
  return module;
}

// "[1].key"; a key that is no identifier: "[\"a b\"]".
std::string Nesting(absl::Span<const Step> steps) {
  std::string text;
  for (const Step& step : steps) {
    if (step.by_number) {
      absl::StrAppend(&text, "[", step.text, "]");
    } else if (IsIdentifier(step.text)) {
      absl::StrAppend(&text, text.empty() ? "" : ".", step.text);
    } else {
      absl::StrAppend(&text, "[\"", step.text, "\"]");
    }
  }
  return text;
}

}  // namespace

std::optional<NestedName> ParseNestedName(absl::string_view name) {
  std::vector<absl::string_view> parts = absl::StrSplit(name, "___");
  if (parts.size() < 2 || !IsValue(parts.back())) return std::nullopt;
  NestedName nested;
  nested.is_empty = parts.back() == "empty";
  parts.pop_back();
  if (nested.is_empty) {
    if (parts.back() != "tuple." && parts.back() != "list." && parts.back() != "dict.") {
      return std::nullopt;
    }
    parts.pop_back();
  }
  std::vector<Step> steps;
  for (const absl::string_view part : parts) {
    const std::optional<Step> step = ParseStep(part);
    if (!step.has_value()) return std::nullopt;
    steps.push_back(*step);
  }
  absl::Span<const Step> rest = steps;
  const std::optional<ModuleKey> module =
      steps.empty() || steps[0].by_number ? std::nullopt : ParseModuleKey(steps[0].text);
  if (!module.has_value()) {
    nested.name = Nesting(rest);
    return nested;
  }
  rest.remove_prefix(1);
  // Arguments have numbers and keyword arguments have names, so the pair around them is redundant.
  if (!module->is_output && rest.size() >= 2 && rest[0].by_number &&
      rest[1].by_number == (rest[0].text == "0")) {
    rest.remove_prefix(1);
  }
  nested.is_plain =
      std::all_of(rest.begin(), rest.end(), [](const Step& step) { return step.plain; });
  nested.call = std::string(module->call);
  nested.module_class = std::string(module->type);
  nested.is_output = module->is_output;
  nested.is_root = module->path.empty();
  const std::string nesting = Nesting(rest);
  nested.name =
      absl::StrCat(nested.is_root ? module->type : module->path, " call ", module->call,
                   module->is_output ? " output" : " input", nesting.empty() ? "" : " ", nesting);
  return nested;
}

}  // namespace onnxcmp

#include "cli/batch/manifest.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/runtime_spec.h"
#include "record/text/display_text.h"
#include "record/text/meant_name.h"

namespace onnxcmp::cli {
namespace {

using ManifestJson = nlohmann::json;

std::vector<std::string> ColumnNames() {
  return {"left", "right", "inputs", "name", "tags", "options", "expect", "cause", "against"};
}

absl::Status AtLine(int64_t line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", message));
}

absl::Status CheckColumn(const std::string& column) {
  const std::vector<std::string> known = ColumnNames();
  for (const std::string& name : known) {
    if (name == column) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no column '", PrintableText(column), "'",
                                                 DidYouMean(column, known),
                                                 "; columns: ", absl::StrJoin(known, ", ")));
}

// The members of a pair as texts, lists where the manifest has such.
using Members = std::map<std::string, std::vector<std::string>>;

std::string OnlyMember(const Members& members, const std::string& name) {
  const auto found = members.find(name);
  return found == members.end() || found->second.empty() ? "" : found->second[0];
}

absl::StatusOr<BatchPair> PairOf(const Members& members, bool listed, const std::string& folder) {
  BatchPair pair;
  pair.name = OnlyMember(members, "name");
  pair.left = FromFolder(folder, OnlyMember(members, "left"));
  pair.right = FromFolder(folder, OnlyMember(members, "right"));
  pair.inputs = FromFolder(folder, OnlyMember(members, "inputs"));
  pair.against = RuntimeFromFolder(folder, OnlyMember(members, "against"));
  if (pair.left.empty()) return absl::InvalidArgumentError("`left` is missing");
  if (pair.right.empty() && pair.against.empty()) {
    return absl::InvalidArgumentError("`right` is missing, and `against` too");
  }
  const auto texts = [&](const std::string& name) {
    const auto found = members.find(name);
    return found == members.end() ? std::vector<std::string>() : found->second;
  };
  for (const std::string& text : texts("tags")) {
    if (listed) {
      pair.tags.push_back(text);
      continue;
    }
    for (const absl::string_view tag : absl::StrSplit(text, absl::ByAnyChar(";, "))) {
      if (!tag.empty()) pair.tags.emplace_back(tag);
    }
  }
  std::vector<std::string> options = texts("options");
  if (!listed && !options.empty()) {
    OC_ASSIGN_OR_RETURN(options, SplitShellWords(options[0]));
  }
  for (const std::string& word : options) pair.options.push_back(WordFromFolder(folder, word));
  OC_ASSIGN_OR_RETURN(pair.expected.verdicts,
                      ParseExpectedVerdicts(absl::StrJoin(texts("expect"), ",")));
  pair.expected.cause = OnlyMember(members, "cause");
  return pair;
}

absl::StatusOr<std::vector<BatchPair>> PairsOfCsv(absl::string_view text,
                                                  const std::string& folder) {
  OC_ASSIGN_OR_RETURN(const std::vector<CsvRecord> records, ParseCsv(text));
  std::vector<BatchPair> pairs;
  if (records.empty()) return pairs;
  const CsvRecord& head = records[0];
  std::vector<std::string> columns;
  for (const std::string& field : head.fields) {
    std::string column = absl::AsciiStrToLower(absl::StripAsciiWhitespace(field));
    if (const absl::Status known = CheckColumn(column); !known.ok()) {
      return AtLine(head.line, absl::StrCat("the first line names the columns: ", known.message()));
    }
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      return AtLine(head.line, absl::StrCat("there are two columns `", column, "`"));
    }
    columns.push_back(std::move(column));
  }
  for (size_t i = 1; i < records.size(); ++i) {
    const CsvRecord& record = records[i];
    if (record.fields.size() > columns.size()) {
      return AtLine(record.line, absl::StrCat(record.fields.size(), " fields, but ", columns.size(),
                                              " columns"));
    }
    Members members;
    for (size_t c = 0; c < record.fields.size(); ++c) {
      const std::string field(absl::StripAsciiWhitespace(record.fields[c]));
      if (!field.empty()) members[columns[c]] = {field};
    }
    absl::StatusOr<BatchPair> pair = PairOf(members, /*listed=*/false, folder);
    if (!pair.ok()) return AtLine(record.line, pair.status().message());
    pair->line = record.line;
    pairs.push_back(*std::move(pair));
  }
  return pairs;
}

absl::StatusOr<BatchPair> PairOfJson(const ManifestJson& json, const std::string& folder) {
  if (!json.is_object()) return absl::InvalidArgumentError("a pair is a JSON object");
  Members texts;
  Members lists;
  for (const auto& [name, value] : json.items()) {
    OC_RETURN_IF_ERROR(CheckColumn(name));
    if (value.is_null()) continue;
    if (value.is_string()) {
      texts[name] = {value.get<std::string>()};
      continue;
    }
    const bool may_be_list = name == "tags" || name == "options" || name == "expect";
    if (!value.is_array() || !may_be_list) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", name, "` is a text", may_be_list ? " or a list of texts" : ""));
    }
    for (const ManifestJson& item : value) {
      if (!item.is_string()) {
        return absl::InvalidArgumentError(absl::StrCat("`", name, "` is a list of texts"));
      }
      lists[name].push_back(item.get<std::string>());
    }
  }
  Members all = texts;
  // Words of a list are taken as they are, so that a tag may have a space.
  for (const auto& [name, list] : lists) {
    if (name == "expect") all[name] = list;
  }
  OC_ASSIGN_OR_RETURN(BatchPair pair, PairOf(all, /*listed=*/false, folder));
  if (const auto tags = lists.find("tags"); tags != lists.end()) pair.tags = tags->second;
  if (const auto options = lists.find("options"); options != lists.end()) {
    for (const std::string& word : options->second) {
      pair.options.push_back(WordFromFolder(folder, word));
    }
  }
  return pair;
}

absl::StatusOr<std::vector<BatchPair>> PairsOfJsonLines(absl::string_view text,
                                                        const std::string& folder) {
  std::vector<BatchPair> pairs;
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const ManifestJson json = ManifestJson::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) return AtLine(number, "it is no JSON");
    absl::StatusOr<BatchPair> pair = PairOfJson(json, folder);
    if (!pair.ok()) return AtLine(number, pair.status().message());
    pair->line = number;
    pairs.push_back(*std::move(pair));
  }
  return pairs;
}

}  // namespace

std::string FromFolder(const std::string& folder, const std::string& path) {
  // A URL is for those who fetch it.
  if (path.empty() || absl::StrContains(path, "://")) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

std::string WordFromFolder(const std::string& folder, const std::string& word) {
  const size_t equals = word.find('=');
  const bool of_option = word.size() > 1 && word[0] == '-';
  if (of_option && equals == std::string::npos) return word;
  const std::string before = of_option ? word.substr(0, equals + 1) : "";
  const std::string value = word.substr(before.size());
  std::error_code error;
  if (value.empty() || !std::filesystem::exists(FromFolder(folder, value), error)) return word;
  return absl::StrCat(before, FromFolder(folder, value));
}

std::string RuntimeFromFolder(const std::string& folder, const std::string& runtime) {
  const absl::StatusOr<RuntimeSpec> spec = ParseRuntimeSpec(runtime);
  if (runtime.empty() || !spec.ok() || !spec->is_file()) return runtime;
  return absl::StrCat(FromFolder(folder, spec->name), runtime.substr(spec->name.size()));
}

std::string ManifestLine(const BatchPair& pair) {
  nlohmann::ordered_json json = {{"name", pair.name}, {"left", pair.left}};
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  const auto list = [&](const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) json[name] = values;
  };
  text("right", pair.right);
  text("against", pair.against);
  text("inputs", pair.inputs);
  list("tags", pair.tags);
  list("options", pair.options);
  list("expect", pair.expected.verdicts);
  text("cause", pair.expected.cause);
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

absl::StatusOr<std::vector<CsvRecord>> ParseCsv(absl::string_view text) {
  std::vector<CsvRecord> records;
  CsvRecord record;
  std::string field;
  int64_t line = 1;
  bool quoted = false;
  bool was_quoted = false;
  record.line = line;
  const auto end_record = [&] {
    if (!field.empty() && field.back() == '\r' && !was_quoted) field.pop_back();
    const bool empty =
        record.fields.empty() && !was_quoted && absl::StripAsciiWhitespace(field).empty();
    record.fields.push_back(std::exchange(field, ""));
    if (!empty) records.push_back(record);
    record = CsvRecord{line, {}};
    was_quoted = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // A line that begins with # is a remark, for people who take pairs out for a while.
    if (c == '#' && !quoted && (i == 0 || text[i - 1] == '\n')) {
      i = std::min(text.find('\n', i), text.size());
      record.line = ++line;
      continue;
    }
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = was_quoted = true;
    } else if (c == ',') {
      record.fields.push_back(std::exchange(field, ""));
      was_quoted = false;
    } else if (c == '\n') {
      end_record();
    } else if (c != '\r' || !was_quoted) {
      field += c;
    }
  }
  if (quoted) return AtLine(record.line, "a quote is not closed");
  if (!field.empty() || !record.fields.empty()) end_record();
  return records;
}

absl::StatusOr<std::vector<std::string>> SplitShellWords(absl::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      open = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      if (open) words.push_back(std::exchange(word, ""));
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (quote != 0) return absl::InvalidArgumentError("a quote is not closed in the options");
  if (open) words.push_back(word);
  return words;
}

absl::StatusOr<std::vector<BatchPair>> ReadManifest(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::string_view text = file->bytes();
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  std::error_code error;
  const std::string folder = std::filesystem::absolute(path, error).parent_path().string();
  const absl::string_view start = absl::StripLeadingAsciiWhitespace(text);
  absl::StatusOr<std::vector<BatchPair>> pairs =
      absl::StartsWith(start, "{") ? PairsOfJsonLines(text, folder) : PairsOfCsv(text, folder);
  if (!pairs.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", pairs.status().message()));
  }
  return pairs;
}

}  // namespace onnxcmp::cli

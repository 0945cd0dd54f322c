#include "cli/batch/pair_result.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
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
#include "evaluator/base/mapped_file.h"

namespace onnxcmp::cli {
namespace {

using ResultJson = nlohmann::ordered_json;

std::string TextMember(const ResultJson& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

double NumberMember(const ResultJson& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return 0;
  if (found->is_string()) return INFINITY;
  return found->is_number() ? found->get<double>() : 0;
}

bool TrueMember(const ResultJson& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

std::string ExpectationText(const BatchExpectation& expected) {
  if (!expected.given()) return "";
  std::string text = absl::StrJoin(expected.verdicts, ", ");
  if (!expected.cause.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", "cause: ", expected.cause);
  }
  return text;
}

// Whatever the case of letters.
bool HasPart(const std::string& text, const std::string& part) {
  return absl::StrContains(absl::AsciiStrToLower(text), absl::AsciiStrToLower(part));
}

bool HasExpectedCause(const std::string& cause, const PairResult& result) {
  if (cause.empty() || HasPart(result.error, cause)) return true;
  return std::any_of(result.causes.begin(), result.causes.end(), [&](const FoundCause& found) {
    return HasPart(found.text, cause) || HasPart(found.finding, cause) ||
           HasPart(found.place, cause);
  });
}

}  // namespace

void JudgeByPair(const BatchPair& pair, PairResult* result) {
  result->name = pair.name;
  result->left = pair.left;
  result->right = pair.right;
  result->against = pair.against;
  result->tags = pair.tags;
  result->expect = ExpectationText(pair.expected);
  const std::vector<std::string>& verdicts = pair.expected.verdicts;
  // A cause that is expected is one of a difference, unless verdicts are given too.
  const bool fits = !verdicts.empty()             ? std::find(verdicts.begin(), verdicts.end(),
                                                              result->outcome) != verdicts.end()
                    : pair.expected.cause.empty() ? result->exit == 0
                                                  : result->compared();
  result->as_expected = fits && HasExpectedCause(pair.expected.cause, *result);
}

std::string PairResultJson(const PairResult& result) {
  ResultJson json = {
      {"name", result.name},  {"verdict", result.outcome}, {"as_expected", result.as_expected},
      {"exit", result.exit},  {"summary", result.summary}, {"left", result.left},
      {"right", result.right}};
  if (!result.against.empty()) json["against"] = result.against;
  if (!result.tags.empty()) json["tags"] = result.tags;
  if (!result.expect.empty()) json["expect"] = result.expect;
  if (!result.worst_output.empty()) {
    json["worst_output"] = result.worst_output;
    json["worst_distance"] = std::isfinite(result.worst_distance)
                                 ? ResultJson(result.worst_distance)
                                 : ResultJson("Infinity");
  }
  ResultJson causes = ResultJson::array();
  for (const FoundCause& cause : result.causes) {
    causes.push_back({{"finding", cause.finding},
                      {"text", cause.text},
                      {"place", cause.place},
                      {"wrong", cause.wrong}});
  }
  json["causes"] = std::move(causes);
  if (result.proved.has_value()) json["proved"] = *result.proved;
  if (!result.error.empty()) json["error"] = result.error;
  json["seconds"] = std::round(result.seconds * 1000) / 1000;
  json["peak_bytes"] = result.peak_bytes;
  if (result.memory_limit > 0) json["memory_limit"] = result.memory_limit;
  json["model_bytes"] = result.model_bytes;
  json["version"] = result.version;
  json["finished"] = result.finished;
  json["key"] = result.key;
  json["folder"] = result.folder;
  json["report"] = result.report;
  json["page"] = result.page;
  return json.dump(-1, ' ', true, ResultJson::error_handler_t::replace);
}

absl::StatusOr<PairResult> ParsePairResult(absl::string_view line) {
  const ResultJson json = ResultJson::parse(line, nullptr, /*allow_exceptions=*/false);
  PairResult result;
  if (json.is_object()) {
    result.key = TextMember(json, "key");
    result.outcome = TextMember(json, "verdict");
  }
  // It becomes a path.
  const bool is_key = result.key.size() == 32 &&
                      result.key.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_key || result.outcome.empty()) {
    return absl::InvalidArgumentError("it is no result of a pair");
  }
  result.name = TextMember(json, "name");
  result.left = TextMember(json, "left");
  result.right = TextMember(json, "right");
  result.against = TextMember(json, "against");
  result.expect = TextMember(json, "expect");
  result.as_expected = TrueMember(json, "as_expected");
  result.exit = static_cast<int>(NumberMember(json, "exit"));
  result.summary = TextMember(json, "summary");
  result.worst_output = TextMember(json, "worst_output");
  result.worst_distance = NumberMember(json, "worst_distance");
  if (json.contains("proved")) result.proved = TrueMember(json, "proved");
  result.error = TextMember(json, "error");
  result.seconds = NumberMember(json, "seconds");
  result.peak_bytes = static_cast<int64_t>(NumberMember(json, "peak_bytes"));
  result.memory_limit = static_cast<int64_t>(NumberMember(json, "memory_limit"));
  result.model_bytes = static_cast<int64_t>(NumberMember(json, "model_bytes"));
  result.version = TextMember(json, "version");
  result.finished = TextMember(json, "finished");
  result.folder = TextMember(json, "folder");
  result.report = TextMember(json, "report");
  result.page = TextMember(json, "page");
  if (const auto tags = json.find("tags"); tags != json.end() && tags->is_array()) {
    for (const ResultJson& tag : *tags) {
      if (tag.is_string()) result.tags.push_back(tag.get<std::string>());
    }
  }
  if (const auto causes = json.find("causes"); causes != json.end() && causes->is_array()) {
    for (const ResultJson& cause : *causes) {
      if (!cause.is_object()) continue;
      result.causes.push_back({TextMember(cause, "finding"), TextMember(cause, "text"),
                               TextMember(cause, "place"), TrueMember(cause, "wrong")});
    }
  }
  return result;
}

absl::StatusOr<std::vector<PairResult>> ReadResults(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/results.jsonl");
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat("there is no ", path, ": no batch has ended there"));
  }
  const auto file = MappedFile::Open(path);
  if (!file.ok()) return file.status();
  std::vector<PairResult> results;
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit((*file)->bytes(), '\n')) {
    ++number;
    if (line.empty()) continue;
    absl::StatusOr<PairResult> result = ParsePairResult(line);
    if (!result.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ", line ", number, ": ", result.status().message()));
    }
    results.push_back(*std::move(result));
  }
  return results;
}

}  // namespace onnxcmp::cli

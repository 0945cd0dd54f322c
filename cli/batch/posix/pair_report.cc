#include "cli/batch/pair_report.h"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/os/processes.h"
#include "evaluator/base/status_macros.h"
#include "record/text/short_text.h"

namespace onnxcmp::cli {
namespace {

using CompareJson = nlohmann::json;

constexpr size_t kMaxCauses = 16;
// Larger reports are not read a second time for the operators that read a constant.
constexpr int64_t kMaxReadTwice = int64_t{64} << 20;

std::string TextOf(const CompareJson& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

double RealOf(const CompareJson& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return 0;
  return found->is_number() ? found->get<double>() : INFINITY;
}

// The report without some of its members, which are most of it. Discarded if it is no JSON.
CompareJson ParseWithout(absl::string_view bytes, const std::set<std::string>& skipped) {
  return CompareJson::parse(
      bytes.begin(), bytes.end(),
      [&](int /*depth*/, CompareJson::parse_event_t event, CompareJson& parsed) {
        return event != CompareJson::parse_event_t::key ||
               !skipped.contains(parsed.get<std::string>());
      },
      /*allow_exceptions=*/false);
}

// Operators of the left's nodes that read a result: "Conv".
std::string ReadersOf(const CompareJson& report, const CompareJson& cause) {
  const auto left = report.find("left");
  const auto index = cause.find("left");
  if (left == report.end() || index == cause.end() || !index->is_number()) return "";
  const auto results = left->find("results");
  if (results == left->end() || !results->is_array()) return "";
  std::set<std::string> operators;
  for (const CompareJson& result : *results) {
    const auto inputs = result.find("inputs");
    if (inputs == result.end() || !inputs->is_array()) continue;
    if (std::find(inputs->begin(), inputs->end(), *index) != inputs->end()) {
      operators.insert(TextOf(result, "op_type"));
    }
  }
  return absl::StrJoin(operators, ", ");
}

std::string OperatorsOf(const CompareJson& cause) {
  std::string left = TextOf(cause, "left_op_type");
  const std::string right = TextOf(cause, "right_op_type");
  if (left == right || right.empty()) return left;
  return left.empty() ? right : absl::StrCat(left, " | ", right);
}

// The same for the same mistake elsewhere: the operator and what is wrong with it, no names and no
// numbers.
std::string FindingOf(const CompareJson& cause, const std::string& readers) {
  const std::string kind = TextOf(cause, "kind");
  const std::string operators = OperatorsOf(cause);
  if (kind == "initializer" || (operators.empty() && kind != "input")) {
    const std::string of = readers.empty() ? operators : readers;
    return of.empty() ? "constants" : absl::StrCat("constants of ", of);
  }
  if (kind == "input") return "inputs";
  std::vector<std::string> attributes;
  if (const auto found = cause.find("attributes"); found != cause.end() && found->is_array()) {
    for (const CompareJson& attribute : *found) {
      const auto differs = attribute.find("differs");
      if (differs == attribute.end() || *differs != true) continue;
      attributes.push_back(TextOf(attribute, "name"));
    }
  }
  if (kind == "operator") {
    return attributes.empty() ? operators
                              : absl::StrCat(operators, " ", absl::StrJoin(attributes, ", "));
  }
  return absl::StrCat(operators, ", ", kind);
}

std::string PlaceOf(const CompareJson& cause) {
  const std::string right = TextOf(cause, "right_name");
  return right.empty() ? TextOf(cause, "left_name") : right;
}

// `member`: the report is this one of another; "": it is whole.
void TakeCauses(const CompareJson& report, absl::string_view bytes, const std::string& member,
                PairResult* result) {
  const auto causes = report.find("causes");
  if (causes == report.end() || !causes->is_array()) return;
  CompareJson whole;
  for (const CompareJson& cause : *causes) {
    if (result->causes.size() >= kMaxCauses) break;
    const std::string kind = TextOf(cause, "kind");
    if (kind == "initializer" && whole.is_null() &&
        static_cast<int64_t>(bytes.size()) <= kMaxReadTwice) {
      whole = ParseWithout(bytes, {"rows", "statistics", "right", "coverage"});
      if (!member.empty() && whole.is_object()) whole = CompareJson(whole[member]);
      if (whole.is_discarded()) whole = CompareJson::object();
    }
    const std::string readers =
        kind == "initializer" && whole.is_object() ? ReadersOf(whole, cause) : "";
    result->causes.push_back({FindingOf(cause, readers), TextOf(cause, "text"), PlaceOf(cause),
                              kind != "approximation" && kind != "quantization"});
  }
}

void TakeWorstOutput(const CompareJson& report, PairResult* result) {
  const auto outputs = report.find("outputs");
  if (outputs == report.end() || !outputs->is_array()) return;
  for (const CompareJson& output : *outputs) {
    const auto diff = output.find("diff");
    if (diff == output.end() || !diff->is_object()) continue;
    // `apart` leaves out elements of which one side is not finite.
    const double apart = std::isinf(RealOf(*diff, "max_absolute")) ? INFINITY
                         : diff->contains("apart")                 ? RealOf(*diff, "apart")
                         : TextOf(*diff, "reason").empty()         ? 0
                                                                   : INFINITY;
    if (!result->worst_output.empty() && apart <= result->worst_distance) continue;
    result->worst_output = TextOf(output, "right");
    if (result->worst_output.empty()) result->worst_output = TextOf(output, "left");
    result->worst_distance = apart;
  }
}

// Files of the reports, that of the only set or one for each.
std::vector<std::string> ReportNames(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(absl::StrCat(folder, "/report.json"), error)) return {"report.json"};
  std::vector<std::string> names;
  while (true) {
    std::string name = absl::StrCat("report.", names.size(), ".json");
    if (!std::filesystem::exists(absl::StrCat(folder, "/", name), error)) return names;
    names.push_back(std::move(name));
  }
}

// The report of decoders that took steps. docs/generate.md describes it.
void TakeSteps(const CompareJson& report, absl::string_view bytes, PairResult* result) {
  const auto steps = report.find("steps");
  const bool same =
      steps->is_array() && std::all_of(steps->begin(), steps->end(), [](const CompareJson& step) {
        return TextOf(step, "relation") == "same";
      });
  result->exit = static_cast<int>(RealOf(report, "exit_status"));
  result->outcome = result->exit == 2   ? "failed"
                    : result->exit == 1 ? "different"
                    : same              ? "same"
                                        : "close";
  if (const auto lines = report.find("lines"); lines != report.end() && lines->is_array()) {
    for (const CompareJson& line : *lines) {
      if (!line.is_string()) continue;
      absl::StrAppend(&result->summary, result->summary.empty() ? "" : "; ",
                      line.get<std::string>());
    }
  }
  result->error = TextOf(report, "error");
  if (result->outcome == "failed" && result->error.empty()) result->error = result->summary;
  const auto comparison = report.find("comparison");
  if (comparison == report.end() || !comparison->is_object()) return;
  TakeWorstOutput(*comparison, result);
  TakeCauses(*comparison, bytes, "comparison", result);
}

absl::Status TakeReport(const std::string& folder, const std::string& name, PairResult* result) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file,
                      MappedFile::Open(absl::StrCat(folder, "/", name)));
  const CompareJson report = ParseWithout(file->bytes(), {"results", "rows", "coverage", "worst"});
  const bool steps = report.is_object() && report.contains("steps");
  if (!report.is_object() || (!steps && TextOf(report, "verdict").empty())) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is not whole"));
  }
  result->report = name;
  if (steps) {
    TakeSteps(report, file->bytes(), result);
    return absl::OkStatus();
  }
  result->outcome = TextOf(report, "verdict");
  result->exit = static_cast<int>(RealOf(report, "exit"));
  result->summary = TextOf(report, "summary");
  TakeWorstOutput(report, result);
  TakeCauses(report, file->bytes(), "", result);
  if (const auto proof = report.find("proof"); proof != report.end() && proof->is_object()) {
    const auto proved = proof->find("proved");
    result->proved = proved != proof->end() && proved->is_boolean() && proved->get<bool>();
  }
  if (result->outcome != "failed") return absl::OkStatus();
  result->error = TextOf(report, "error");
  for (const char* side : {"left", "right"}) {
    const auto found = report.find(side);
    if (found == report.end() || !found->is_object()) continue;
    const std::string error = TextOf(*found, "error");
    if (error.empty()) continue;
    if (result->error.empty()) result->error = absl::StrCat(side, ": ", error);
    // The message about a file that is none, or no model, has its path.
    const std::string source = TextOf(*found, "source");
    if (RealOf(*found, "nodes") == 0 && !source.empty() && absl::StrContains(error, source)) {
      result->outcome = std::string(kUnreadable);
    }
  }
  if (result->error.empty()) result->error = result->summary;
  return absl::OkStatus();
}

// The last line of what it said, or that of an error.
std::string LastWords(const std::string& errors) {
  std::string last;
  for (const absl::string_view line : absl::StrSplit(errors, '\n')) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty()) continue;
    if (absl::StartsWith(text, "onnxcmp: ")) return std::string(text.substr(strlen("onnxcmp: ")));
    last = std::string(text);
  }
  return last;
}

bool SaysNoMemory(const std::string& text) {
  return absl::StrContains(text, "no memory for") || absl::StrContains(text, "bad_alloc") ||
         absl::StrContains(text, "Cannot allocate memory") ||
         absl::StrContains(text, "MemoryError");
}

std::string SignalName(int number) {
  const std::string description = SignalDescription(number);
  if (description.empty()) return absl::StrCat("signal ", number);
  return absl::StrCat("signal ", number, " (", description, ")");
}

std::string LimitText(int64_t memory) {
  return memory > 0 ? absl::StrCat("more than the limit of ", BytesText(memory))
                    : "more than there is";
}

}  // namespace

absl::Status ReadReport(const std::string& folder, int exit_status, PairResult* result) {
  const std::vector<std::string> names = ReportNames(folder);
  if (names.empty()) return absl::NotFoundError("there is no report");
  bool taken = false;
  std::optional<bool> proved;
  for (const std::string& name : names) {
    PairResult of_set;
    OC_RETURN_IF_ERROR(TakeReport(folder, name, &of_set));
    if (of_set.proved.has_value()) proved = proved.value_or(true) && *of_set.proved;
    if (taken && of_set.exit <= result->exit) continue;
    *result = std::move(of_set);
    taken = true;
  }
  result->proved = proved;
  if (result->exit != exit_status) {
    return absl::InvalidArgumentError(absl::StrCat("the report says exit status ", result->exit));
  }
  std::error_code error;
  if (std::filesystem::exists(absl::StrCat(folder, "/report.html"), error)) {
    result->page = "report.html";
  }
  return absl::OkStatus();
}

PairResult ResultOfEnd(const PairEnd& end, const std::string& folder, int64_t memory,
                       bool system_ran_out) {
  PairResult result;
  const std::string words = LastWords(end.errors);
  const auto failed = [&](absl::string_view verdict, const std::string& error) {
    result = PairResult();
    result.outcome = std::string(verdict);
    result.error = result.summary = error;
  };
  if (end.timed_out) {
    failed(kTimedOut,
           absl::StrFormat("took longer than the limit: ended after %.1f s", end.seconds));
  } else if (WIFSIGNALED(end.status)) {
    const int number = WTERMSIG(end.status);
    const bool killed =
        number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP;
    if (killed && system_ran_out) {
      failed(kOutOfMemory, "the system has ended it: there was no memory left");
    } else if (SaysNoMemory(end.errors)) {
      failed(kOutOfMemory, absl::StrCat("wanted ", LimitText(memory)));
    } else if (killed) {
      failed(kKilled, absl::StrCat("ended by ", SignalName(number), " from outside"));
    } else {
      failed(kCrashed, absl::StrCat("crashed by ", SignalName(number),
                                    words.empty() ? "" : absl::StrCat(": ", words)));
    }
  } else {
    const int status = WEXITSTATUS(end.status);
    const absl::Status read = ReadReport(folder, status, &result);
    if (!read.ok()) {
      failed(SaysNoMemory(end.errors) ? kOutOfMemory : absl::string_view("failed"),
             words.empty() ? absl::StrCat("exit status ", status, ": ", read.message()) : words);
    } else if (result.outcome == "failed" && SaysNoMemory(result.error)) {
      result.outcome = std::string(kOutOfMemory);
    }
  }
  result.seconds = end.seconds;
  result.peak_bytes = end.peak_bytes;
  result.memory_limit = memory;
  return result;
}

void SetChanged(PairResult* result) {
  PairResult changed;
  changed.outcome = std::string(kChanged);
  changed.error = changed.summary = "a file was changed while it was compared";
  changed.seconds = result->seconds;
  changed.peak_bytes = result->peak_bytes;
  changed.memory_limit = result->memory_limit;
  *result = std::move(changed);
}

}  // namespace onnxcmp::cli

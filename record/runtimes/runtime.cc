#include "record/runtimes/runtime.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/find_python.h"
#include "record/runtimes/value_files.h"

namespace onnxcmp {
namespace {

using ProtocolJson = nlohmann::ordered_json;

// Lines of its standard error that a message repeats, and bytes of one.
constexpr size_t kShownLines = 3;
constexpr size_t kShownBytes = 400;

std::string EndOf(const std::string& errors) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(errors, '\n')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(line);
    if (!stripped.empty()) lines.push_back(OneLine(stripped.substr(0, kShownBytes)));
  }
  if (lines.size() > kShownLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kShownLines));
  }
  return absl::StrJoin(lines, " | ");
}

// Whatever names and paths are made of.
std::string Dump(const ProtocolJson& json) {
  return json.dump(-1, ' ', false, ProtocolJson::error_handler_t::replace);
}

int64_t JsonNumber(const ProtocolJson& json, const char* key, int64_t otherwise) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number_integer() ? it->get<int64_t>() : otherwise;
}

bool IsTrue(const ProtocolJson& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_boolean() && it->get<bool>();
}

std::string JsonString(const ProtocolJson& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

std::vector<std::string> JsonStrings(const ProtocolJson& json, const char* key) {
  std::vector<std::string> strings;
  const auto it = json.find(key);
  if (it == json.end() || !it->is_array()) return strings;
  for (const auto& string : *it) {
    if (string.is_string()) strings.push_back(string.get<std::string>());
  }
  return strings;
}

// Where the elements of a tensor of numbers are, one after another; null for all else.
const void* GivenElements(const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() == DType::kString ||
      value.tensor().num_elements() == 0 || value.tensor().stored() ||
      !value.tensor().is_contiguous()) {
    return nullptr;
  }
  return value.tensor().raw_data();
}

// Without what C++ and Rust add for their authors.
std::string Refused(const std::string& text) {
  return OneLine(absl::StripAsciiWhitespace(text.substr(0, text.find("Stack backtrace:"))));
}

}  // namespace

std::string RuntimeInfo::Text() const {
  std::string text = name;
  for (const std::string& part : {version, place}) {
    if (!part.empty()) absl::StrAppend(&text, " ", part);
  }
  return text;
}

bool RuntimeRefused(const absl::Status& status) { return absl::IsUnimplemented(status); }

bool RuntimeDied(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status);
}

std::vector<std::string> RuntimeValues::names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

Runtime::~Runtime() = default;

absl::Status Runtime::Failed(const absl::Status& status, const Asked& asked) {
  std::string text = absl::StrCat(Name(), " ", status.message(), " while it ", asked.past);
  if (absl::IsDeadlineExceeded(status)) absl::StrAppend(&text, " (--runtime-timeout)");
  const std::string said = process_ == nullptr ? "" : EndOf(process_->errors());
  if (!said.empty()) absl::StrAppend(&text, "; its last words: ", said);
  return absl::Status(status.code(), text);
}

std::string Runtime::Name() const { return info_.name.empty() ? spec_.name : info_.Text(); }

absl::StatusOr<std::string> Runtime::Ask(const std::string& request, const Asked& asked) {
  const absl::StatusOr<std::string> line =
      process_->Ask(request, options_.timeout, options_.stop.get());
  if (!process_->alive()) {
    // Its group is gone; another one may get its number.
    OC_RETURN_IF_ERROR(folder_->Guard(0));
  }
  if (absl::IsCancelled(line.status())) return line.status();
  if (!line.ok()) return Failed(line.status(), asked);
  const ProtocolJson json = ProtocolJson::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || JsonNumber(json, "id", -1) != requests_) {
    process_->Kill();
    OC_RETURN_IF_ERROR(folder_->Guard(0));
    return Failed(absl::AbortedError(absl::StrCat("gave an answer that is none of the protocol: ",
                                                  OneLine(line->substr(0, 100)))),
                  asked);
  }
  if (!json.contains("error")) return *line;
  const std::string text = Refused(JsonString(json, "error"));
  if (JsonString(json, "kind") == "memory") {
    return Failed(absl::ResourceExhaustedError("had no memory left (--runtime-memory)"), asked);
  }
  return absl::UnimplementedError(absl::StrCat(Name(), " refused to ", asked.present, ": ", text));
}

absl::StatusOr<RuntimeInfo> Runtime::Start() {
  if (process_ != nullptr && process_->alive()) return info_;
  if (options_.stop != nullptr && options_.stop->load()) return absl::CancelledError("stopped");
  if (folder_ == nullptr) {
    OC_ASSIGN_OR_RETURN(folder_, ScratchFolder::Create());
  }
  if (!command_.empty()) {
    OC_RETURN_IF_ERROR(Greet(command_).status());
    return info_;
  }
  // The first Python that has the runtime. None is asked beforehand: starting one takes longer than
  // most models do.
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> pythons,
                      PythonsFor(options_.adapters, spec_.name, options_.python));
  if (spec_.is_file() && !spec_.name.ends_with(".py")) {
    // A Python only watches over it.
    command_ = {spec_.name};
    if (!pythons.empty() && IsProgram(spec_.name)) {
      command_ = {pythons[0], options_.adapters, spec_.name};
    }
    OC_RETURN_IF_ERROR(Greet(command_).status());
    return info_;
  }
  MissingPython missing;
  for (const std::string& python : pythons) {
    const std::vector<std::string> command = {python, options_.adapters, spec_.name};
    const absl::StatusOr<std::vector<std::string>> lacks = Greet(command);
    if (absl::IsNotFound(lacks.status())) {
      missing.troubles.emplace_back(lacks.status().message());
      continue;
    }
    OC_RETURN_IF_ERROR(lacks.status());
    if (lacks->empty()) {
      command_ = command;
      return info_;
    }
    missing.packages = *lacks;
  }
  return missing.Error(spec_.name, pythons);
}

absl::StatusOr<std::vector<std::string>> Runtime::Greet(const std::vector<std::string>& command) {
  OC_ASSIGN_OR_RETURN(process_, ChildProcess::Start(command));
  OC_RETURN_IF_ERROR(folder_->Guard(process_->pid()));
  ++processes_;
  ProtocolJson options = ProtocolJson::object();
  for (const auto& [key, value] : spec_.options) options[key] = value;
  const ProtocolJson hello = {{"id", ++requests_},
                              {"call", "hello"},
                              {"folder", folder_->path()},
                              {"memory", options_.memory},
                              {"options", std::move(options)}};
  const absl::StatusOr<std::string> line = Ask(Dump(hello), {"start", "started"});
  if (!line.ok()) {
    process_->Kill();
    OC_RETURN_IF_ERROR(folder_->Guard(0));
    if (!RuntimeRefused(line.status())) return line.status();
    return absl::InvalidArgumentError(line.status().message());
  }
  const ProtocolJson json = ProtocolJson::parse(*line, nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> lacks = JsonStrings(json, "missing");
  if (!lacks.empty()) {
    process_->Kill();
    OC_RETURN_IF_ERROR(folder_->Guard(0));
    return lacks;
  }
  info_.name = OneLine(JsonString(json, "name"));
  if (info_.name.empty()) info_.name = spec_.name;
  info_.version = OneLine(JsonString(json, "version"));
  info_.place = OneLine(JsonString(json, "place"));
  info_.precision = DTypeFromName(JsonString(json, "precision")).value_or(DType::kUndefined);
  info_.can_optimize = IsTrue(json, "optimized");
  info_.knows_results = IsTrue(json, "results");
  info_.optimizers = JsonStrings(json, "optimizers");
  info_.runs_models = !json.contains("models") || IsTrue(json, "models");
  return lacks;
}

absl::StatusOr<RuntimeSession> Runtime::Load(const std::string& model,
                                             const std::vector<std::string>& extra,
                                             const std::string& optimized) {
  OC_RETURN_IF_ERROR(Start().status());
  ProtocolJson request = {
      {"id", ++requests_}, {"call", "load"}, {"model", model}, {"extra", extra}};
  if (!optimized.empty()) request["optimized"] = optimized;
  OC_ASSIGN_OR_RETURN(const std::string line,
                      Ask(Dump(request), {"load the model", "loaded the model"}));
  const ProtocolJson json = ProtocolJson::parse(line, nullptr, /*allow_exceptions=*/false);
  return RuntimeSession{JsonNumber(json, "session", 0), processes_};
}

absl::StatusOr<RuntimeValues> Runtime::Run(const RuntimeSession& session, const Feeds& feeds) {
  if (process_ == nullptr || !process_->alive() || session.process != processes_) {
    return absl::FailedPreconditionError("the runtime's process is gone");
  }
  ProtocolJson fed = ProtocolJson::array();
  RuntimeValues written;
  // Entries of tensors that are fed under several names, by where their elements are and by type.
  std::map<std::pair<const void*, std::string>, std::string> entries;
  for (const auto& [name, value] : feeds) {
    const void* elements = GivenElements(value);
    const std::pair<const void*, std::string> key = {elements,
                                                     elements == nullptr ? "" : value.TypeString()};
    const auto known = elements == nullptr ? entries.end() : entries.find(key);
    absl::StatusOr<std::string> entry =
        known != entries.end()
            ? known->second
            : WriteValueFiles(value, folder_->path(), absl::StrCat("fed_", files_++, "_"));
    if (!entry.ok()) {
      Remove(written);
      return entry.status();
    }
    if (elements != nullptr) entries[key] = *entry;
    ProtocolJson json = ProtocolJson::parse(*entry);
    json["name"] = name;
    fed.push_back(std::move(json));
    written.entries_[name] = *std::move(entry);
  }
  const ProtocolJson request = {{"id", ++requests_},
                                {"call", "run"},
                                {"session", session.number},
                                {"prefix", absl::StrCat("given_", files_++, "_")},
                                {"feeds", std::move(fed)}};
  const absl::StatusOr<std::string> line = Ask(Dump(request), {"run the model", "ran the model"});
  Remove(written);
  OC_RETURN_IF_ERROR(line.status());
  const ProtocolJson json = ProtocolJson::parse(*line, nullptr, /*allow_exceptions=*/false);
  RuntimeValues values;
  const auto outputs = json.find("outputs");
  if (outputs == json.end() || !outputs->is_array()) {
    return absl::AbortedError(absl::StrCat(info_.Text(), " gave no outputs"));
  }
  for (const ProtocolJson& output : *outputs)
    values.entries_[JsonString(output, "name")] = Dump(output);
  if (const auto seconds = json.find("seconds"); seconds != json.end() && seconds->is_number()) {
    seconds_ += seconds->get<double>();
  }
  return values;
}

void Runtime::Unload(const RuntimeSession& session) {
  if (process_ == nullptr || !process_->alive() || session.process != processes_) return;
  const ProtocolJson request = {
      {"id", ++requests_}, {"call", "unload"}, {"session", session.number}};
  Ask(Dump(request), {"unload the model", "unloaded the model"}).IgnoreError();
}

absl::StatusOr<Value> Runtime::Read(const RuntimeValues& values, const std::string& name) const {
  const auto it = values.entries_.find(name);
  if (it == values.entries_.end() || folder_ == nullptr) {
    return absl::NotFoundError(absl::StrCat("the runtime has not given '", name, "'"));
  }
  return ReadValueFiles(it->second, folder_->path(), options_.max_tensor);
}

void Runtime::Remove(const RuntimeValues& values) {
  if (folder_ == nullptr) return;
  for (const auto& [name, entry] : values.entries_) RemoveValueFiles(entry, folder_->path());
}

absl::StatusOr<std::string> Runtime::NewFile(const std::string& end) {
  if (folder_ == nullptr) {
    OC_ASSIGN_OR_RETURN(folder_, ScratchFolder::Create());
  }
  return absl::StrCat(folder_->path(), "/made_", files_++, end);
}

}  // namespace onnxcmp

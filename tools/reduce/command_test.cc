#include "tools/reduce/command_test.h"

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/result.h"
#include "record/base/work_bounds.h"
#include "record/base/write_file.h"
#include "record/recordings/npz_writer.h"
#include "record/recordings/recording.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp {
namespace {

using ValueOf = std::function<const Value*(int)>;

// An archive with the values by their names: with nothing else in it, so that NumPy reads it into a
// dictionary, unless a value is no tensor.
absl::Status WriteNpz(const std::string& path,
                      const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos,
                      ResultKind kind, const ValueOf& value_of) {
  std::vector<std::pair<std::string, const Value*>> values;
  bool tensors = true;
  for (int i = 0; i < infos.size(); ++i) {
    const Value* value = value_of(i);
    if (value == nullptr || value->empty()) continue;
    values.emplace_back(infos[i].name(), value);
    tensors = tensors && value->is_tensor();
  }
  if (values.empty()) {
    // An archive without entries, as NumPy reads it.
    return WriteFile(path, std::string("PK\5\6", 4) + std::string(18, '\0'));
  }
  if (tensors) {
    OC_ASSIGN_OR_RETURN(const std::unique_ptr<NpzWriter> writer, NpzWriter::Create(path));
    std::vector<NpzWriter::Entry> entries;
    for (const auto& [name, value] : values) {
      OC_ASSIGN_OR_RETURN(const NpzWriter::Piece piece, writer->AddArray(value->tensor()));
      entries.push_back({name + ".npy", piece});
    }
    return writer->Finish(entries);
  }
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<RecordingWriter> writer,
                      RecordingWriter::Create(path, /*outputs_only=*/false));
  std::optional<Value> no_replacement;
  for (const auto& [name, value] : values) {
    OC_RETURN_IF_ERROR(writer->OnResult({.kind = kind, .name = name, .path = "", .value = *value},
                                        &no_replacement));
  }
  return writer->Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<CommandTest>> CommandTest::Create(const std::string& command,
                                                                 const std::string& match,
                                                                 absl::Duration timeout,
                                                                 RunningChecks* running) {
  OC_ASSIGN_OR_RETURN(CheckCommand check, CheckCommand::Create(command));
  std::optional<std::regex> pattern;
  if (!match.empty()) {
    try {
      pattern.emplace(match);
    } catch (const std::regex_error& error) {
      return absl::InvalidArgumentError(
          absl::StrCat("--match ", match, " is no regular expression: ", error.what()));
    }
  }
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ScratchFolder> folder, ScratchFolder::Create());
  return std::unique_ptr<CommandTest>(new CommandTest(std::move(check), match, std::move(pattern),
                                                      timeout, running, std::move(folder)));
}

bool CommandTest::reads_values() const {
  return command_.Reads("inputs") || command_.Reads("outputs") || command_.Reads("folder");
}

std::string CommandTest::key() const {
  return absl::StrCat(command_.text(), "\n", match_, "\n", absl::FormatDuration(timeout_), "\n",
                      first_.Text(timeout_));
}

absl::Status CommandTest::WriteArchives(const ReduceCandidate& candidate,
                                        const std::string& folder) const {
  const onnx::GraphProto& graph = candidate.model.proto.graph();
  if (command_.Reads("inputs")) {
    OC_RETURN_IF_ERROR(WriteNpz(
        folder + "/inputs.npz", graph.input(), ResultKind::kInput, [&](int i) -> const Value* {
          const auto feed = candidate.model.feeds.find(graph.input(i).name());
          return feed == candidate.model.feeds.end() ? nullptr : &feed->second;
        }));
  }
  if (!command_.Reads("outputs")) return absl::OkStatus();
  return WriteNpz(folder + "/outputs.npz", graph.output(), ResultKind::kOutput,
                  [&](int i) { return &candidate.outputs[static_cast<size_t>(i)]; });
}

absl::StatusOr<CheckRun> CommandTest::Run(const ReduceCandidate& candidate) {
  const std::string folder = absl::StrCat(folder_->path(), "/", folders_++);
  const absl::Cleanup remove = [&] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  };
  if (command_.Reads("folder")) {
    OC_RETURN_IF_ERROR(
        WriteBackendTest(folder, candidate.model.proto, candidate.model.feeds, candidate.outputs));
  } else {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return absl::PermissionDeniedError(absl::StrCat(folder, ": ", error.message()));
    OC_RETURN_IF_ERROR(WriteFile(folder + "/model.onnx", candidate.bytes));
  }
  OC_RETURN_IF_ERROR(WriteArchives(candidate, folder));
  return CheckCommand::Run(command_.With(folder), timeout_, running_);
}

absl::StatusOr<std::string> CommandTest::Script(const ReduceCandidate& candidate,
                                                const std::string& folder) {
  OC_RETURN_IF_ERROR(WriteArchives(candidate, folder));
  return command_.With("$folder");
}

// Line by line: std::regex recurses, once for each character.
bool CommandTest::Matches(const CheckRun& run) const {
  if (!pattern_.has_value()) return true;
  for (const absl::string_view line : absl::StrSplit(run.output, '\n')) {
    if (std::regex_search(std::string(line.substr(0, work_bounds::kLooks)), *pattern_)) return true;
  }
  return false;
}

absl::StatusOr<ReduceTrial> CommandTest::Begin(const ReduceCandidate& whole) {
  OC_ASSIGN_OR_RETURN(first_, Run(whole));
  const bool failed = first_.end != CheckRun::End::kExit || first_.number != 0;
  return ReduceTrial{pattern_.has_value() ? Matches(first_) : failed, first_.Text(timeout_),
                     first_.output, first_.seconds};
}

absl::StatusOr<ReduceTrial> CommandTest::Try(const ReduceCandidate& candidate) {
  OC_ASSIGN_OR_RETURN(const CheckRun run, Run(candidate));
  const bool same = run.end == first_.end && run.number == first_.number && Matches(run);
  return ReduceTrial{same, run.Text(timeout_), run.output, run.seconds};
}

}  // namespace onnxcmp

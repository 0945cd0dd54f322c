#include "tools/reduce/check_command.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "evaluator/base/os/processes.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/shell_line.h"

namespace onnxcmp {
namespace {

constexpr size_t kKeptOutput = 32768;  // bytes
constexpr const char* kPlaceholders[] = {"model", "inputs", "outputs", "folder"};

}  // namespace

std::string CheckRun::Text(absl::Duration timeout) const {
  if (end == End::kTimeout) return absl::StrCat("no end within ", absl::FormatDuration(timeout));
  if (end == End::kExit) return absl::StrCat("exit status ", number);
  return SignalText(number);
}

void RunningChecks::Add(int pid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pids_.insert(pid);
  if (killed_) KillGroup(pid);
}

void RunningChecks::Remove(int pid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pids_.erase(pid);
}

void RunningChecks::KillAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  killed_ = true;
  for (const int pid : pids_) KillGroup(pid);
}

bool RunningChecks::killed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return killed_;
}

absl::StatusOr<CheckCommand> CheckCommand::Create(const std::string& text) {
  CheckCommand command(text);
  if (!command.Reads("model") && !command.Reads("folder")) {
    return absl::InvalidArgumentError(
        absl::StrCat("the command has no {model}, so that it cannot depend on the model; {",
                     absl::StrJoin(kPlaceholders, "}, {"), "} stand for paths: ", text));
  }
  return command;
}

bool CheckCommand::Reads(absl::string_view name) const {
  return absl::StrContains(text_, absl::StrCat("{", name, "}"));
}

std::string CheckCommand::With(const std::string& folder) const {
  const bool variable = folder.starts_with('$');
  const auto path = [&](const char* file) {
    const std::string whole = folder + file;
    return variable ? absl::StrCat("\"", whole, "\"") : ShellWord(whole);
  };
  return absl::StrReplaceAll(text_, {{"{model}", path("/model.onnx")},
                                     {"{inputs}", path("/inputs.npz")},
                                     {"{outputs}", path("/outputs.npz")},
                                     {"{folder}", path("")}});
}

absl::StatusOr<CheckRun> CheckCommand::Run(const std::string& command, absl::Duration timeout,
                                           RunningChecks* running) {
  const absl::Time start = absl::Now();
  OC_ASSIGN_OR_RETURN(CommandRun done, RunCommand(
                                           command, timeout, kKeptOutput,
                                           [&](int process) { running->Add(process); },
                                           [&](int process) { running->Remove(process); }));
  if (running->killed()) return absl::CancelledError("the command was stopped");
  CheckRun run;
  run.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  run.output = std::move(done.output);
  run.end = done.timed_out       ? CheckRun::End::kTimeout
            : done.end.by_signal ? CheckRun::End::kSignal
                                 : CheckRun::End::kExit;
  run.number = done.timed_out ? 0 : done.end.number;
  return run;
}

}  // namespace onnxcmp

#include "tools/reduce/check_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "record/runtimes/shell_line.h"

namespace onnxcmp {
namespace {

constexpr size_t kKeptOutput = 32768;  // bytes
constexpr const char* kPlaceholders[] = {"model", "inputs", "outputs", "folder"};

// The child's part. Only calls that are safe after a fork.
[[noreturn]] void ExecuteShell(const char* command, int output) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  execl("/bin/sh", "sh", "-c", command, nullptr);
  _exit(127);
}

// Reads what is there. False at its end.
bool ReadSome(int descriptor, std::string* text) {
  char block[8192];
  const ssize_t got = read(descriptor, block, sizeof(block));
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  text->append(block, static_cast<size_t>(got));
  if (text->size() > 2 * kKeptOutput) text->erase(0, text->size() - kKeptOutput);
  return true;
}

void KillGroup(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
}

}  // namespace

std::string CheckRun::Text(absl::Duration timeout) const {
  if (end == End::kTimeout) return absl::StrCat("no end within ", absl::FormatDuration(timeout));
  if (end == End::kExit) return absl::StrCat("exit status ", number);
  const char* description = sigdescr_np(number);
  return absl::StrCat("signal ", number, " (", description == nullptr ? "unknown" : description,
                      ")");
}

void RunningChecks::Add(pid_t pid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pids_.insert(pid);
  if (killed_) KillGroup(pid);
}

void RunningChecks::Remove(pid_t pid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pids_.erase(pid);
}

void RunningChecks::KillAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  killed_ = true;
  for (const pid_t pid : pids_) KillGroup(pid);
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
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const absl::Time start = absl::Now();
  const pid_t pid = fork();
  if (pid < 0) {
    close(output[0]);
    close(output[1]);
    return absl::ErrnoToStatus(errno, "fork");
  }
  if (pid == 0) ExecuteShell(command.c_str(), output[1]);
  close(output[1]);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  running->Add(pid);
  CheckRun run;
  int status = 0;
  bool open = true;
  bool ended = false;
  // A process that it has started may keep the pipe open; the command itself decides.
  while (!ended) {
    const pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == pid || (got < 0 && errno != EINTR)) {
      ended = true;
      break;
    }
    const absl::Duration left = start + timeout - absl::Now();
    if (left <= absl::ZeroDuration()) {
      run.end = CheckRun::End::kTimeout;
      KillGroup(pid);
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    if (!open) {
      absl::SleepFor(std::min(left, absl::Milliseconds(5)));
      continue;
    }
    pollfd polled = {output[0], POLLIN, 0};
    if (poll(&polled, 1, 20) > 0) open = ReadSome(output[0], &run.output);
  }
  running->Remove(pid);
  kill(-pid, SIGKILL);
  for (pollfd rest = {output[0], POLLIN, 0}; open && poll(&rest, 1, 0) > 0;) {
    open = ReadSome(output[0], &run.output);
  }
  close(output[0]);
  if (running->killed()) return absl::CancelledError("the command was stopped");
  run.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (run.output.size() > kKeptOutput) run.output.erase(0, run.output.size() - kKeptOutput);
  if (!ended) return run;
  run.end = WIFSIGNALED(status) ? CheckRun::End::kSignal : CheckRun::End::kExit;
  run.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return run;
}

}  // namespace onnxcmp

#include "evaluator/base/os/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "evaluator/base/os/posix/process_calls.h"
#include "evaluator/base/os/posix/spawn.h"

namespace onnxcmp {
namespace {

// The child's part. Only calls that are safe after a fork.
[[noreturn]] void ExecuteShell(const char* command, int output) {
  setsid();
  EndWithParent();
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  CloseFrom(STDERR_FILENO + 1);
  execl("/bin/sh", "sh", "-c", command, nullptr);
  _exit(127);
}

// Reads what is there, and keeps the end. False at its end.
bool ReadSome(int descriptor, size_t kept, std::string* text) {
  char block[8192];
  const ssize_t got = read(descriptor, block, sizeof(block));
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  text->append(block, static_cast<size_t>(got));
  if (text->size() > 2 * kept) text->erase(0, text->size() - kept);
  return true;
}

ProcessEnd EndOfStatus(int status) {
  if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
  return {false, WEXITSTATUS(status)};
}

}  // namespace

absl::Status CanStartPrograms() { return absl::OkStatus(); }

absl::StatusOr<int> StartShell(const std::string& line, const std::string& output) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (nothing < 0 || file < 0) {
    const int error = errno;
    if (nothing >= 0) close(nothing);
    return absl::PermissionDeniedError(
        absl::StrCat("cannot write ", output, ": ", std::strerror(error)));
  }
  pid_t pid = 0;
  const int error = SpawnSettings(nothing, file, file).Spawn({"/bin/sh", "-c", line}, &pid);
  close(nothing);
  close(file);
  if (error == 0) return pid;
  return absl::UnavailableError(absl::StrCat("/bin/sh cannot be started: ", std::strerror(error)));
}

bool HasEnded(int process, absl::Duration limit) {
  const absl::Time deadline = absl::Now() + limit;
  absl::Duration pause = absl::Microseconds(200);
  while (true) {
    siginfo_t info;
    info.si_pid = 0;
    // It stays as it is for waitpid().
    const int waited =
        waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
    if ((waited == 0 && info.si_pid == process) || (waited != 0 && errno != EINTR)) return true;
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    absl::SleepFor(std::min(pause, left));
    pause = std::min(pause * 2, absl::Milliseconds(20));
  }
}

ProcessEnd EndGroup(int process) {
  kill(-process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return EndOfStatus(status);
}

void KillGroup(int process) {
  kill(-process, SIGKILL);
  kill(process, SIGKILL);
}

absl::StatusOr<CommandRun> RunCommand(const std::string& command, absl::Duration timeout,
                                      size_t kept, absl::FunctionRef<void(int)> started,
                                      absl::FunctionRef<void(int)> ended) {
  std::array<int, 2> output{};
  if (!MakePipe(&output)) return absl::ErrnoToStatus(errno, "pipe");
  const absl::Time deadline = absl::Now() + timeout;
  const pid_t pid = fork();
  if (pid < 0) {
    const int error = errno;
    close(output[0]);
    close(output[1]);
    return absl::ErrnoToStatus(error, "fork");
  }
  if (pid == 0) ExecuteShell(command.c_str(), output[1]);
  close(output[1]);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  started(pid);
  CommandRun run;
  int status = 0;
  bool open = true;
  // A process that it has started may keep the pipe open; the command itself decides.
  while (true) {
    const pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == pid || (got < 0 && errno != EINTR)) break;
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      run.timed_out = true;
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
    if (poll(&polled, 1, 20) > 0) open = ReadSome(output[0], kept, &run.output);
  }
  ended(pid);
  kill(-pid, SIGKILL);
  for (pollfd rest = {output[0], POLLIN, 0}; open && poll(&rest, 1, 0) > 0;) {
    open = ReadSome(output[0], kept, &run.output);
  }
  close(output[0]);
  if (run.output.size() > kept) run.output.erase(0, run.output.size() - kept);
  run.end = EndOfStatus(status);
  return run;
}

}  // namespace onnxcmp

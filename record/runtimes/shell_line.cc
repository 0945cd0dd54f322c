#include "record/runtimes/shell_line.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/spawn.h"

namespace onnxcmp {
namespace {

constexpr int kShellSignals = 128;  // a shell's exit status is this and the signal's number

// Waits until the process has ended, so long at most; it stays as it is for waitpid().
bool HasEnded(pid_t pid, absl::Duration limit) {
  const absl::Time deadline = absl::Now() + limit;
  absl::Duration pause = absl::Microseconds(200);
  while (true) {
    siginfo_t info;
    info.si_pid = 0;
    const int waited = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if ((waited == 0 && info.si_pid == pid) || (waited != 0 && errno != EINTR)) return true;
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    absl::SleepFor(std::min(pause, left));
    pause = std::min(pause * 2, absl::Milliseconds(20));
  }
}

}  // namespace

std::string ShellEnd::Text() const {
  if (timed_out) return absl::StrCat("no end within ", absl::FormatDuration(limit));
  if (signal != 0) return EndBySignalText(signal);
  return absl::StrCat("exit status ", status);
}

absl::StatusOr<ShellLines> ShellLines::Create() {
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ScratchFolder> keeper, ScratchFolder::Create());
  return ShellLines(std::move(keeper));
}

absl::StatusOr<ShellEnd> ShellLines::Run(const std::string& line, const std::string& output,
                                         absl::Duration limit) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (nothing < 0 || file < 0) {
    const int error = errno;
    if (nothing >= 0) close(nothing);
    return absl::PermissionDeniedError(
        absl::StrCat("cannot write ", output, ": ", std::strerror(error)));
  }
  const absl::Time begin = absl::Now();
  pid_t pid = 0;
  const int error = SpawnSettings(nothing, file, file).Spawn({"/bin/sh", "-c", line}, &pid);
  close(nothing);
  close(file);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("/bin/sh cannot be started: ", std::strerror(error)));
  }
  const absl::Status guarded = keeper_->Guard(pid);
  ShellEnd end;
  end.limit = limit;
  end.timed_out = guarded.ok() && !HasEnded(pid, limit);
  // The whole group, before its number can be another's.
  kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  end.seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  OC_RETURN_IF_ERROR(guarded);
  OC_RETURN_IF_ERROR(keeper_->Guard(0));
  if (end.timed_out) return end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.status = WEXITSTATUS(status);
    if (end.status > kShellSignals && end.status <= kShellSignals + SIGRTMAX) {
      end.signal = end.status - kShellSignals;
    }
  }
  return end;
}

std::string ShellWord(absl::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](const char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-_./=,:+@%", c);
  });
  if (plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace onnxcmp

#include "cli/batch/pair_process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "evaluator/base/os/posix/process_calls.h"

namespace onnxcmp::cli {
namespace {

constexpr int64_t kKeptErrors = 16384;  // bytes

int64_t PeakOf(const rusage& usage) {
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return int64_t{usage.ru_maxrss} << 10;
#endif
}

std::string ReadErrorsOf(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  if (size <= 0) return "";
  const off_t from = std::max<off_t>(0, size - kKeptErrors);
  std::string text(static_cast<size_t>(size - from), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), from);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace

PairProcess::PairProcess(pid_t pid, int errors, absl::Duration time)
    : pid_(pid), errors_(errors), started_(absl::Now()), deadline_(started_ + time) {}

absl::StatusOr<std::unique_ptr<PairProcess>> PairProcess::Start(
    PairStarter& starter, const std::vector<std::string>& arguments, const std::string& folder,
    const PairLimits& limits) {
  const int errors = MakeMemoryFile("onnxcmp-errors");
  if (errors < 0) return absl::ErrnoToStatus(errno, "a file in memory");
  const absl::StatusOr<pid_t> pid = starter.StartPair(arguments, folder, limits.memory, errors);
  if (!pid.ok()) {
    close(errors);
    return pid.status();
  }
  return absl::WrapUnique(new PairProcess(*pid, errors, limits.time));
}

PairProcess::~PairProcess() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(errors_);
}

bool PairProcess::HasEnded(PairEnd* end) {
  rusage usage;
  pid_t ended = wait4(pid_, &end->status, WNOHANG, &usage);
  if (ended == 0 && absl::Now() >= deadline_) {
    timed_out_ = true;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    do {
      ended = wait4(pid_, &end->status, 0, &usage);
    } while (ended < 0 && errno == EINTR);
  }
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  if (ended == pid_) {
    end->peak_bytes = PeakOf(usage);
    // Processes that it has started and left behind.
    kill(-pid_, SIGKILL);
  }
  end->timed_out = timed_out_;
  end->seconds = absl::ToDoubleSeconds(absl::Now() - started_);
  end->errors = ReadErrorsOf(errors_);
  pid_ = -1;
  return true;
}

}  // namespace onnxcmp::cli
